import { countText } from '@trawl/contracts';
import { Link } from 'react-router';
import type { Execution } from '../../../api/entities.js';
import { TimeText } from '../../../components/values/time-text.js';
import { versionText } from '../../../components/values/version-text.js';
import { useIssue } from '../issues/issues.js';

interface FailureCauseProps {
  execution: Execution;
  /** The last run of the skript that has completed before this one; null if there is none. */
  lastGood: Execution | null;
  links: {
    issue: string;
    run: (executionId: string) => string;
    version: (hash: string) => string;
    comparison: (from: string, to: string) => string;
  };
}

function Version({ number, hash, href }: { number: number | null; hash: string; href: string }) {
  return (
    <Link className="link" to={href} title={hash}>
      version {versionText(number, hash)}
    </Link>
  );
}

/** Which version began a failure, and what has changed since the last good run. */
export function FailureCause({ execution, lastGood, links }: FailureCauseProps) {
  const { issue_id: issueId, bundle_hash: failed } = execution;
  const issue = useIssue(issueId).data;
  const good = lastGood?.bundle_hash ?? null;
  if (!issue && !lastGood) return null;
  return (
    <ul className="failure-cause">
      {issue && (
        <li>
          {issue.first_version ? (
            <>
              Began with{' '}
              <Version
                number={issue.first_version_number}
                hash={issue.first_version}
                href={links.version(issue.first_version)}
              />
              ,{' '}
            </>
          ) : (
            'First seen '
          )}
          <TimeText iso={issue.first_seen_at} zone />.{' '}
          <Link className="link" to={links.issue}>
            {countText(issue.runs, 'run')}
          </Link>{' '}
          failed in this way.
        </li>
      )}
      {lastGood && (
        <li>
          The{' '}
          <Link className="link" to={links.run(lastGood.id)}>
            last good run
          </Link>{' '}
          was <TimeText iso={lastGood.created_at} zone />
          {good === null || failed === null ? (
            '.'
          ) : good === failed ? (
            ', with the same version: its input or the website may have changed.'
          ) : (
            <>
              , with <Version number={lastGood.version_number} hash={good} href={links.version(good)} />.{' '}
              <Link className="link" to={links.comparison(good, failed)}>
                See what changed
              </Link>
            </>
          )}
        </li>
      )}
    </ul>
  );
}
