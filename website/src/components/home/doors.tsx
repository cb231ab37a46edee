import Link from '@docusaurus/Link';
import { DOORS } from '@site/content/home';
import styles from './doors.module.css';

export function Doors() {
  const { self, service } = DOORS;
  return (
    <section className={styles.doors} aria-label="Two ways to use Trawl">
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
