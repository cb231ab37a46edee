import Link from '@docusaurus/Link';
import { HOME, WAYS_TO_USE } from '@site/content/pages/home';
import { Mesh } from '../../mesh/mesh';
import { PanelLink } from '../../site/panel-link';
import styles from './hero.module.css';

export function Hero() {
  return (
    <header className={styles.hero}>
      <div className={styles.net}>
        <Mesh columns={30} rows={12} lit={['20,3', '24,7', '18,9', '27,5', '21,11']} />
      </div>
      <div className={`container ${styles.text}`}>
        <p className={styles.audience}>{HOME.audienceLine}</p>
        <h1>{HOME.title}</h1>
        <p className={styles.lead}>{HOME.lead}</p>
        <div className={styles.actions}>
          <Link className="action" to={WAYS_TO_USE.self.action.to}>
            {WAYS_TO_USE.self.action.label}
          </Link>
          <PanelLink className="action action--quiet">Sign In</PanelLink>
        </div>
      </div>
    </header>
  );
}
