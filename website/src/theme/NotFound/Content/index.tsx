import Link from '@docusaurus/Link';
import { Mesh } from '@site/src/components/mesh/mesh';
import styles from './not-found.module.css';

export default function NotFoundContent() {
  return (
    <main className={styles.page}>
      <div className={styles.net}>
        <Mesh columns={24} rows={5} />
      </div>
      <div className={`container ${styles.text}`}>
        <h1>Oops! The page you're looking for isn't here.</h1>
        <p>It looks like nothing was found at this location. Check the URL for mistakes and try again.</p>
        <Link className="action" to="/">
          Go Home
        </Link>
      </div>
    </main>
  );
}
