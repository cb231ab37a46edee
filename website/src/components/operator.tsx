import useDocusaurusContext from '@docusaurus/useDocusaurusContext';

/** Name and postal address of whoever runs this installation; empty if `SITE_OPERATOR` was not set for the build. */
export const useOperator = (): string =>
  (useDocusaurusContext().siteConfig.customFields as { operator: string }).operator;

/** Who runs this installation, as a paragraph of a legal page. */
export function Operator() {
  const operator = useOperator();
  if (!operator) return <p>The operator of this installation has not entered its name and postal address yet.</p>;
  return (
    <p>
      The operator of this installation is <b>{operator}</b>.
    </p>
  );
}
