import { NEEDS } from '@site/content/pages/home';
import styles from './needs.module.css';

export function Needs() {
  return (
    <section className="section section--surface">
      <div className={`container ${styles.two}`}>
        <div>
          <h2>What you need to run it yourself</h2>
          <p className="section__lead">One machine is enough to begin. Further workers can join from anywhere.</p>
        </div>
        <dl className={styles.list}>
          {NEEDS.map(({ name, text }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      </div>
    </section>
  );
}
