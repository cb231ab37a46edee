import Link from '@docusaurus/Link';
import useDocusaurusContext from '@docusaurus/useDocusaurusContext';
import styles from './operator.module.css';

/**
 * Name and postal address of the operator; empty if `SITE_OPERATOR` is not set. The backend may put them into the built
 * page, so the style sheet decides what a page without operator shows.
 */
const useOperator = (): string => (useDocusaurusContext().siteConfig.customFields as { operator: string }).operator;

/** Paragraph of the legal pages that names the operator. */
export function Operator() {
  const operator = useOperator();
  return (
    <>
      <p className={styles.known} data-operator={operator}>
        The operator of this installation is <b>{operator}</b>.
      </p>
      <p className={styles.unknown} data-operator={operator}>
        The operator of this installation has not entered its name and postal address yet. If that is you, enter both in
        the setting <code>SITE_OPERATOR</code>, and your e-mail address in <code>SITE_EMAIL</code>: in the file{' '}
        <code>.env</code> in the folder of Trawl, before you start it again.{' '}
        <Link to="/docs/install#settings">All settings of the website</Link>
      </p>
    </>
  );
}

/** Line of the footer that names the operator. */
export function OperatedBy() {
  const operator = useOperator();
  return (
    <p className={styles.known} data-operator={operator}>
      Operated by {operator}
    </p>
  );
}
