import Link from '@docusaurus/Link';
import { AUDIENCES } from '@site/content/pages/home';
import styles from './audiences.module.css';

export function Audiences() {
  return (
    <section className="section section--surface">
      <div className="container">
        <h2>Who it is for</h2>
        <p className="section__lead">
          Twelve trades that use data from the web. For each, you see fields of a row that a skript stores.
        </p>
        <ul className={styles.grid}>
          {AUDIENCES.map(({ title, text, fields, link }) => (
            <li key={title} className={styles.card}>
              <h3>{title}</h3>
              <p>{text}</p>
              <p className={styles.fields}>
                {fields.map(field => (
                  <code key={field}>{field}</code>
                ))}
              </p>
              <p className={styles.link}>
                <Link to={link.to}>{link.label}</Link>
              </p>
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
