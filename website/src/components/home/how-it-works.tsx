import Link from '@docusaurus/Link';
import { STEPS } from '@site/content/pages/home';
import { Steps } from '../steps/steps';

export function HowItWorks() {
  return (
    <section className="section">
      <div className="container">
        <h2>How it works</h2>
        <Steps steps={STEPS} />
        <p>
          <Link to="/platform">The parts of the platform</Link>
        </p>
      </div>
    </section>
  );
}
