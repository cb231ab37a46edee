import Link from '@docusaurus/Link';
import type { OfferMatter } from '@site/content/offers';
import { DO_IT_YOURSELF } from '@site/content/pages/services-page';
import type { Crumb } from '../metadata/breadcrumb-data';
import { PageHeader } from '../page-header/page-header';
import { Steps } from '../steps/steps';

interface HeaderProps {
  offer: OfferMatter;
  trail: readonly Crumb[];
}

/** Header of a service page on an installation that sells no services. */
export function DoItYourselfHeader({ offer, trail }: HeaderProps) {
  const { lead, start, account } = DO_IT_YOURSELF;
  return (
    <PageHeader title={offer.headline} lead={`${offer.row} ${lead}`} trail={trail}>
      <Link className="action" to={start.to}>
        {start.label}
      </Link>
      <Link className="action action--quiet" to={account.to}>
        {account.label}
      </Link>
    </PageHeader>
  );
}

/** How users do the work of a service page with the software. */
export function DoItYourself() {
  const { title, steps, law } = DO_IT_YOURSELF;
  return (
    <section className="section" id="how-it-works">
      <div className="container">
        <h2>{title}</h2>
        <Steps steps={steps} />
        <p>{law}</p>
      </div>
    </section>
  );
}
