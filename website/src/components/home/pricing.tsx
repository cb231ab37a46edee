import Link from '@docusaurus/Link';
import { PRICING_METHOD } from '@site/content/pages/home';
import { useByServices } from '../site/services';
import styles from './pricing.module.css';

export function Pricing() {
  const { title, text, points, links } = useByServices(PRICING_METHOD);
  return (
    <section className="section">
      <div className="container">
        <h2>{title}</h2>
        <p className="section__lead">{text}</p>
        <ul className={`tiles ${styles.points}`}>
          {points.map(point => (
            <li key={point.title}>
              <h3>{point.title}</h3>
              <p>{point.text}</p>
            </li>
          ))}
        </ul>
        <p className={styles.links}>
          {links.map(({ label, to }) => (
            <Link key={to} to={to}>
              {label}
            </Link>
          ))}
        </p>
      </div>
    </section>
  );
}
