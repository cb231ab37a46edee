import { Link } from 'react-router';
import { useIssue } from './issues.js';

/** Returns the number of runs in words, such as "12 runs". */
export const runsText = (runs: number): string => (runs === 1 ? '1 run' : `${runs.toLocaleString('en-GB')} runs`);

/** Link from a failed run to all runs that failed in the same way. */
export function IssueLink({ issueId, href }: { issueId: string; href: string }) {
  const issue = useIssue(issueId).data;
  return (
    <Link className="link" to={href}>
      {issue ? runsText(issue.runs) : 'all its runs'}
    </Link>
  );
}
