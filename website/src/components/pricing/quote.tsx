import Link from '@docusaurus/Link';
import { PRICING_ACTIONS, QUOTE_STEPS } from '@site/content/pages/pricing';
import Heading from '@theme/Heading';
import { Steps } from '../steps/steps';

export function Quote() {
  const inquiry = PRICING_ACTIONS.inquiry.on;
  return (
    <section className="section section--surface">
      <div className="container">
        <Heading as="h2" id="how-a-price-is-made">
          How a price is made
        </Heading>
        <p className="section__lead">
          Four steps from your first message to an offer. You can stop after each of them.
        </p>
        <Steps steps={QUOTE_STEPS} />
        <Link className="action" to={inquiry.to}>
          {inquiry.label}
        </Link>
      </div>
    </section>
  );
}
