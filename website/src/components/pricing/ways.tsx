import Link from '@docusaurus/Link';
import { WAYS } from '@site/content/pages/pricing';
import { useByServices } from '../site/services';
import styles from './ways.module.css';

export function Ways() {
  const { title: heading, ways } = useByServices(WAYS);
  return (
    <section className="section">
      <div className="container">
        <h2>{heading}</h2>
        <ul className={styles.ways}>
          {ways.map(({ title, price, text, link }) => (
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
