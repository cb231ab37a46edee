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
          The features of the platform. Planned ones are marked, so that you can decide by what is there today.
        </p>
        <ul className={styles.list}>
          {PLATFORM_FEATURES.map(({ name, state, text }) => (
            <li key={name}>
              <h3>{name}</h3>
              <p className={`${styles.state} ${styles[state]}`}>{FEATURE_STATES[state]}</p>
              <p className={styles.text}>{text}</p>
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
