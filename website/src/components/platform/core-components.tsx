import Link from '@docusaurus/Link';
import { CORE_COMPONENTS } from '@site/content/pages/platform';
import Heading from '@theme/Heading';
import { PlatformDiagram } from '../docs/platform-diagram';
import styles from './core-components.module.css';

export function CoreComponents() {
  return (
    <section className="section section--surface">
      <div className="container">
        <Heading as="h2" id="core-components">
          Core components
        </Heading>
        <p className="section__lead">
          Four parts. You can inspect each part, call it, or replace it with your own program.
        </p>
        <ul className={styles.grid}>
          {CORE_COMPONENTS.map(({ title, text, detail, link }) => (
            <li key={title} className={styles.card}>
              <h3>{title}</h3>
              <p>{text}</p>
              <p className={styles.detail}>{detail}</p>
              <p className={styles.last}>
                <Link to={link.to}>{link.label}</Link>
              </p>
            </li>
          ))}
        </ul>
        <PlatformDiagram />
      </div>
    </section>
  );
}
