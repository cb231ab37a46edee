import useDocusaurusContext from '@docusaurus/useDocusaurusContext';

/** Name and postal address of the operator; empty if `SITE_OPERATOR` was not set for the build. */
export const useOperator = (): string =>
  (useDocusaurusContext().siteConfig.customFields as { operator: string }).operator;

/** Paragraph of the legal pages that names the operator. */
export function Operator() {
  const operator = useOperator();
  if (!operator) return <p>The operator of this installation has not entered its name and postal address yet.</p>;
  return (
    <p>
      The operator of this installation is <b>{operator}</b>.
    </p>
  );
}
