import Link from '@docusaurus/Link';
import { useDoc } from '@docusaurus/plugin-content-docs/client';
import styles from './footer.module.css';

const date = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** Edit link and date of the last change. */
export default function DocItemFooter() {
  const { editUrl, lastUpdatedAt, source } = useDoc().metadata;
  return (
    <footer className={styles.footer}>
      {editUrl ? (
        <Link to={editUrl}>Edit this page</Link>
      ) : (
        <span>
          Edit this page: <code>{source.replace('@site', 'website')}</code>
        </span>
      )}
      {lastUpdatedAt && (
        <span>
          Last updated <time dateTime={new Date(lastUpdatedAt).toISOString()}>{date.format(lastUpdatedAt)}</time>
        </span>
      )}
    </footer>
  );
}
