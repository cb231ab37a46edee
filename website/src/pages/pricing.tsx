import Link from '@docusaurus/Link';
import { PRICING_ACTIONS, PRICING_PAGE } from '@site/content/pages/pricing';
import { ContactBand } from '@site/src/components/contact-band/contact-band';
import { PageMeta } from '@site/src/components/metadata/page-meta';
import { PageHeader } from '@site/src/components/page-header/page-header';
import { FreePack } from '@site/src/components/pricing/free-pack';
import { Ownership } from '@site/src/components/pricing/ownership';
import { PriceDrivers } from '@site/src/components/pricing/price-drivers';
import { Quote } from '@site/src/components/pricing/quote';
import { Ways } from '@site/src/components/pricing/ways';
import { useByServices, useServices } from '@site/src/components/site/services';
import Layout from '@theme/Layout';

export default function Pricing() {
  const { heading, lead, ...meta } = useByServices(PRICING_PAGE);
  const { signUp } = PRICING_ACTIONS;
  const inquiry = useByServices(PRICING_ACTIONS.inquiry);
  const hasServices = useServices();
  return (
    <Layout>
      <PageMeta {...meta} />
      <main>
        <PageHeader title={heading} lead={lead}>
          <Link className="action" to={signUp.to}>
            {signUp.label}
          </Link>
          <Link className="action action--quiet" to={inquiry.to}>
            {inquiry.label}
          </Link>
        </PageHeader>
        <Ways />
        <FreePack />
        {hasServices && (
          <>
            <PriceDrivers />
            <Quote />
            <Ownership />
          </>
        )}
        <ContactBand />
      </main>
    </Layout>
  );
}
