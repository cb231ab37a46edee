import Link from '@docusaurus/Link';
import { NEEDS, WAYS_TO_USE } from '@site/content/pages/home';
import { useByServices } from '../site/services';
import styles from './ways-to-use.module.css';

export function WaysToUse() {
  const { self } = WAYS_TO_USE;
  const service = useByServices(WAYS_TO_USE.service);
  return (
    <section className="section section--surface">
      <div className="container">
        <h2>Two ways to use it</h2>
        <div className={styles.pair}>
          <div className={styles.door}>
            <h3>{self.title}</h3>
            <p>{self.text}</p>
            <dl>
              {NEEDS.map(({ name, text }) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{text}</dd>
                </div>
              ))}
            </dl>
            <p className={styles.last}>
              <Link to={self.action.to}>{self.action.label}</Link>
            </p>
          </div>
          <div className={styles.door}>
            <h3>{service.title}</h3>
            <p>{service.text}</p>
            <p className={styles.last}>
              <Link to={service.action.to}>{service.action.label}</Link>
              <Link to={service.more.to}>{service.more.label}</Link>
            </p>
          </div>
        </div>
      </div>
    </section>
  );
}
