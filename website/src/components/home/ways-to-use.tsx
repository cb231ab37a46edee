import Link from '@docusaurus/Link';
import { WAYS_TO_USE } from '@site/content/pages/home';
import { useByServices } from '../site/services';
import styles from './ways-to-use.module.css';

export function WaysToUse() {
  const { self } = WAYS_TO_USE;
  const service = useByServices(WAYS_TO_USE.service);
  return (
    <section className={styles.ways} aria-label="Two ways to use Trawl">
      <div className="container">
        <div className={styles.pair}>
          <div className={styles.door}>
            <h2>{self.title}</h2>
            <p>{self.text}</p>
            <pre className={styles.command}>
              <code>
                <span aria-hidden="true">$ </span>
                {self.command}
              </code>
            </pre>
            <p className={styles.last}>
              <Link to={self.action.to}>{self.action.label}</Link>
            </p>
          </div>
          <div className={styles.door}>
            <h2>{service.title}</h2>
            <p>{service.text}</p>
            <p className={styles.last}>
              <Link to={service.action.to}>{service.action.label}</Link>
            </p>
          </div>
        </div>
      </div>
    </section>
  );
}
