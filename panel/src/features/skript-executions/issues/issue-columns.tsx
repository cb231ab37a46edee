import { countText, type IssueStatus, RUN_ERRORS } from '@trawl/contracts';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Issue } from '../../../api/entities.js';
import type { Column } from '../../../components/list/data-table.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { RelativeTime } from '../../../components/values/relative-time.js';
import { Status } from '../../../components/values/status.js';
import { versionText } from '../../../components/values/version-text.js';

/** Paths of the screens to which an issue links. */
export interface IssueLinks {
  skript: (skriptId: string) => string;
  version: (skriptId: string, hash: string) => string;
  runs: (issueId: string) => string;
  run: (executionId: string) => string;
}

/** Returns the first line of the error, or the meaning of its code if it has no text. */
export const messageText = ({ message, error_code: code }: Issue): string =>
  inReadingOrder(message) || RUN_ERRORS[code];

const TONES = { open: 'error', muted: 'quiet', resolved: 'ok' } as const satisfies Record<IssueStatus, string>;

/** A link, or plain text without a path. */
function MaybeLink({ to, children }: { to?: string; children: ReactNode }) {
  if (to === undefined) return children;
  return (
    <Link className="link" to={to}>
      {children}
    </Link>
  );
}

/** Names the version with which an issue began, or came back. */
function Version({ issue, when, links }: { issue: Issue; when: 'first' | 'reopened'; links?: IssueLinks }) {
  const hash = issue[`${when}_version`];
  if (hash === null) return null;
  return (
    <MaybeLink to={links?.version(issue.skript.id, hash)}>
      <span title={hash}>version {versionText(issue[`${when}_version_number`], hash)}</span>
    </MaybeLink>
  );
}

function IssueState({ issue, links }: { issue: Issue; links?: IssueLinks }) {
  const { status, reopened_at: reopenedAt, reopened_version: hash } = issue;
  return (
    <div>
      <Status tone={TONES[status]} label={status} hollow={status === 'muted'} />
      {reopenedAt && status !== 'resolved' && (
        <span className="cell-sub cell-reason">
          came back{' '}
          {hash ? (
            <>
              in <Version issue={issue} when="reopened" links={links} />
            </>
          ) : (
            <RelativeTime iso={reopenedAt} />
          )}
        </span>
      )}
    </div>
  );
}

/**
 * Returns the columns of a list of issues. Without `links` they are plain text: administrators cannot open the runs and
 * skripts of others.
 */
export const issueColumns = (links?: IssueLinks): [lead: Column<Issue>, ...others: Column<Issue>[]] => [
  {
    key: 'issue',
    title: 'Issue',
    lead: true,
    render: issue => (
      <div className="issue-text">
        {links ? (
          <Link
            className="cell-title three-lines issue-message"
            title={messageText(issue)}
            to={links.run(issue.last_run_id)}
          >
            {messageText(issue)}
          </Link>
        ) : (
          <span className="cell-title three-lines issue-message" title={messageText(issue)}>
            {messageText(issue)}
          </span>
        )}
        <span className="cell-sub mono issue-frame">{inReadingOrder(issue.frame ?? issue.error_code)}</span>
      </div>
    ),
  },
  {
    key: 'skript',
    title: 'Skript',
    names: true,
    render: ({ skript }) => (
      <span className="three-lines" title={inReadingOrder(skript.name)}>
        <MaybeLink to={links?.skript(skript.id)}>{inReadingOrder(skript.name)}</MaybeLink>
      </span>
    ),
  },
  {
    key: 'runs',
    title: 'Runs',
    brief: true,
    sortBy: 'runs',
    render: ({ id, runs }) => (
      <span className="tabular">
        <MaybeLink to={links?.runs(id)}>{countText(runs, 'run')}</MaybeLink>
      </span>
    ),
  },
  {
    key: 'first',
    title: 'First seen',
    sortBy: 'first_seen_at',
    render: issue => (
      <div>
        <RelativeTime iso={issue.first_seen_at} />
        {issue.first_version && (
          <span className="cell-sub">
            <Version issue={issue} when="first" links={links} />
          </span>
        )}
      </div>
    ),
  },
  {
    key: 'last',
    title: 'Last seen',
    brief: true,
    sortBy: 'last_seen_at',
    render: issue => <RelativeTime iso={issue.last_seen_at} />,
  },
  { key: 'status', title: 'Status', brief: true, render: issue => <IssueState issue={issue} links={links} /> },
];
