import Link from '@docusaurus/Link';
import { WAYS } from '@site/content/pages/pricing';
import styles from './ways.module.css';

export function Ways() {
  return (
    <section className="section">
      <div className="container">
        <h2>Three ways to use Trawl</h2>
        <ul className={styles.ways}>
          {WAYS.map(({ title, price, text, link }) => (
            <li key={title} className={styles.way}>
              <h3>{title}</h3>
              <p className={styles.price}>{price}</p>
              <p>{text}</p>
              <p className={styles.last}>
                <Link to={link.to}>{link.label}</Link>
              </p>
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
