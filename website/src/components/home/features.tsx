import Link from '@docusaurus/Link';
import { claimed, FEATURE_CLAIMS } from '@site/content/feature-claims';
import { FEATURES } from '@site/content/pages/home';
import styles from './features.module.css';

export function Features() {
  return (
    <section className="section">
      <div className="container">
        <h2>What you can build, and what works today</h2>
        <p className="section__lead">Six features: what each means in practice, and what this version does.</p>
        <div className={styles.grid}>
          {FEATURES.map(({ title, text, claims }) => (
            <article key={title} className={styles.feature}>
              <h3>{title}</h3>
              <p>{text}</p>
              <p className={styles.today}>
                <b>In this version</b>
                {claimed(...claims)}
              </p>
              <ul className={styles.proofs}>
                {claims.map(id => (
                  <li key={id}>
                    <Link to={FEATURE_CLAIMS[id].proof}>{FEATURE_CLAIMS[id].name}</Link>
                  </li>
                ))}
              </ul>
            </article>
          ))}
        </div>
      </div>
    </section>
  );
}
