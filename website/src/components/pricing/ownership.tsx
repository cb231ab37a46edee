import Link from '@docusaurus/Link';
import { OWNERSHIP, PRICING_ACTIONS } from '@site/content/pages/pricing';
import Heading from '@theme/Heading';
import styles from './ownership.module.css';

export function Ownership() {
  const { signUp } = PRICING_ACTIONS;
  return (
    <section className="section">
      <div className={`container ${styles.two}`}>
        <div>
          <Heading as="h2" id="ownership">
            Who owns what
          </Heading>
          <p className="section__lead">Short answers; the terms have the details.</p>
          <p className={styles.links}>
            <Link to="/legal/terms-of-service">Terms of service</Link>
            <Link to={signUp.to}>{signUp.label}</Link>
          </p>
        </div>
        <dl className={styles.list}>
          {OWNERSHIP.map(({ question, answer }) => (
            <div key={question}>
              <dt>{question}</dt>
              <dd>{answer}</dd>
            </div>
          ))}
        </dl>
      </div>
    </section>
  );
}
