import Link from '@docusaurus/Link';
import { PLATFORM_PAGE } from '@site/content/pages/platform';
import { ContactBand } from '@site/src/components/contact-band/contact-band';
import { PageMeta } from '@site/src/components/metadata/page-meta';
import { PageHeader } from '@site/src/components/page-header/page-header';
import { Advantages } from '@site/src/components/platform/advantages';
import { CoreComponents } from '@site/src/components/platform/core-components';
import { Description } from '@site/src/components/platform/description';
import { IntendedUse } from '@site/src/components/platform/intended-use';
import { PlatformFeatures } from '@site/src/components/platform/platform-features';
import { ScriptLanguage } from '@site/src/components/platform/script-language';
import Layout from '@theme/Layout';

export default function Platform() {
  const { heading, lead, ...meta } = PLATFORM_PAGE;
  return (
    <Layout>
      <PageMeta {...meta} />
      <main>
        <PageHeader title={heading} lead={lead}>
          <Link className="action" to="/docs/tutorials/develop-skript">
            Start with the tutorial
          </Link>
          <Link className="action action--quiet" to="/pricing">
            See the pricing
          </Link>
        </PageHeader>
        <Description />
        <CoreComponents />
        <PlatformFeatures />
        <IntendedUse />
        <ScriptLanguage />
        <Advantages />
        <ContactBand />
      </main>
    </Layout>
  );
}
