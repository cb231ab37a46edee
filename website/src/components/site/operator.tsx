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
        The operator of this installation has not entered its name and postal address yet. It does so with the setting{' '}
        <code>SITE_OPERATOR</code>.
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
