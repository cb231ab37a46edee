import { FEATURES } from '@site/content/home';
import styles from './features.module.css';

export function Features() {
  return (
    <section className="section">
      <div className="container">
        <h2>Six things it is for</h2>
        <p className="section__lead">
          What each means in practice, and below it what this version does and leaves undone.
        </p>
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
