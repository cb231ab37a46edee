import { STEPS } from '@site/content/home';
import { PlatformDiagram } from '../platform-diagram';
import styles from './how-it-works.module.css';

export function HowItWorks() {
  return (
    <section className="section">
      <div className="container">
        <h2>How it works</h2>
        <p className="section__lead">Four steps, and between them only things you can look at.</p>
        <ol className={styles.steps}>
          {STEPS.map(({ title, text }) => (
            <li key={title}>
              <h3>{title}</h3>
              <p>{text}</p>
            </li>
          ))}
        </ol>
        <PlatformDiagram />
      </div>
    </section>
  );
}
