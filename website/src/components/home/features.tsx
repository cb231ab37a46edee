import Link from '@docusaurus/Link';
import { claimed, FEATURE_CLAIMS } from '@site/content/feature-claims';
import { FEATURES } from '@site/content/pages/home';
import { PanelCrop } from '../docs/panel-picture';
import styles from './features.module.css';

export function Features() {
  return (
    <section className="section">
      <div className="container">
        <h2>What you can build</h2>
        <div className={styles.grid}>
          {FEATURES.map(({ title, text, crop, claims }) => {
            const limited = claims.filter(id => FEATURE_CLAIMS[id].state !== 'here');
            return (
              <article key={title} className={styles.feature}>
                <PanelCrop {...crop} />
                <h3>{title}</h3>
                <p>{[text, claimed(...limited)].join(' ').trim()}</p>
                <ul className={styles.proofs}>
                  {claims.map(id => (
                    <li key={id}>
                      <Link to={FEATURE_CLAIMS[id].proof}>{FEATURE_CLAIMS[id].name}</Link>
                    </li>
                  ))}
                </ul>
              </article>
            );
          })}
        </div>
      </div>
    </section>
  );
}
