import Link from '@docusaurus/Link';
import { PRICING_METHOD } from '@site/content/pages/home';
import styles from './pricing.module.css';

export function Pricing() {
  const { title, text, points, actions } = PRICING_METHOD;
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
          <Link to={actions.more.to}>{actions.more.label}</Link>
          <Link to={actions.inquiry.to}>{actions.inquiry.label}</Link>
        </p>
      </div>
    </section>
  );
}
