import { FEATURES } from '@site/content/pages/home';
import styles from './features.module.css';

export function Features() {
  return (
    <section className="section">
      <div className="container">
        <h2>What you can build, and what works today</h2>
        <p className="section__lead">Six features: what each means in practice, and what this version does.</p>
        <div className={styles.grid}>
          {FEATURES.map(({ title, text, today }) => (
            <article key={title} className={styles.feature}>
              <h3>{title}</h3>
              <p>{text}</p>
              <p className={styles.today}>
                <b>In this version</b>
                {today}
              </p>
            </article>
          ))}
        </div>
      </div>
    </section>
  );
}
