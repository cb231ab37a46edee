import { ADVANTAGES } from '@site/content/pages/platform';
import Heading from '@theme/Heading';
import styles from './advantages.module.css';

export function Advantages() {
  return (
    <section className="section section--surface">
      <div className="container">
        <Heading as="h2" id="advantages">
          Advantages
        </Heading>
        <p className="section__lead">Six properties that you notice on the day something goes wrong.</p>
        <ul className={styles.grid}>
          {ADVANTAGES.map(({ title, text }) => (
            <li key={title}>
              <h3>{title}</h3>
              <p>{text}</p>
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
