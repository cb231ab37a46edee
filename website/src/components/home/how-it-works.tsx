import { STEPS } from '@site/content/pages/home';
import { PlatformDiagram } from '../docs/platform-diagram';
import { Steps } from '../steps/steps';

export function HowItWorks() {
  return (
    <section className="section">
      <div className="container">
        <h2>How it works</h2>
        <p className="section__lead">Four steps, and between them only things you can look at.</p>
        <Steps steps={STEPS} />
        <PlatformDiagram />
      </div>
    </section>
  );
}
