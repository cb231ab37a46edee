import Link from '@docusaurus/Link';
import { FEATURE_STATES, PLATFORM_FEATURES } from '@site/content/pages/platform';
import Heading from '@theme/Heading';
import styles from './platform-features.module.css';

export function PlatformFeatures() {
  return (
    <section className="section">
      <div className="container">
        <Heading as="h2" id="features">
          Features and their state
        </Heading>
        <p className="section__lead">
          Each feature leads to the page of the documentation that shows it. Marks show what is partial or planned.
        </p>
        <ul className={styles.list}>
          {PLATFORM_FEATURES.map(({ name, state, text, proof }) => (
            <li key={name}>
              <h3>
                <Link to={proof}>{name}</Link>
              </h3>
              <p className={`${styles.state} ${styles[state]}`}>{FEATURE_STATES[state]}</p>
              <p className={styles.text}>{text}</p>
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
