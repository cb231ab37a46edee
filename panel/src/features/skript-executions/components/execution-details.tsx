import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Execution } from '../../../api/entities.js';
import { RunDuration } from '../../../components/runs/run-duration.js';
import { CopyId } from '../../../components/values/copy-id.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { RunStatus, WaitingText } from '../../../components/values/status.js';
import { TimeText } from '../../../components/values/time-text.js';
import { IssueLink } from '../issues/issue-link.js';
import { SHORT_HASH } from '../run-differences.js';

type Fact = [name: string, value: ReactNode];

function Facts({ label, facts }: { label: string; facts: Fact[] }) {
  return (
    <section className="card" aria-label={label}>
      <dl className="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{typeof value === 'string' ? inReadingOrder(value) : value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

interface RunSummaryProps {
  execution: Execution;
  /** Paths of the skript's editor, of the worker, and of the runs of its issue. */
  links: { skript: string; worker: string; issue: string };
}

/** The status of a run, its place and its duration. */
export function RunSummary({ execution, links }: RunSummaryProps) {
  const { action, waiting_for: waiting, skript, worker, issue_id: issueId } = execution;
  return (
    <Facts
      label="Summary"
      facts={[
        [
          'Status',
          <>
            <RunStatus action={action} waiting={waiting} />
            {waiting && (
              <span className="cell-sub">
                <WaitingText waiting={waiting} />, since <TimeText iso={waiting.since} zone />
              </span>
            )}
            {issueId && (
              <span className="cell-sub">
                Issue: <IssueLink issueId={issueId} href={links.issue} />
              </span>
            )}
          </>,
        ],
        ['Duration', <RunDuration key="duration" run={execution} />],
        [
          'Skript',
          <Link key="skript" className="link" to={links.skript}>
            {inReadingOrder(skript.name)}
          </Link>,
        ],
        [
          'Worker',
          worker ? (
            <Link key="worker" className="link" to={links.worker}>
              {worker.name}
            </Link>
          ) : (
            'not chosen yet'
          ),
        ],
        ['Created', <TimeText key="created" iso={execution.created_at} zone />],
        ['Dataset rows', execution.rows.toLocaleString('en-GB')],
      ]}
    />
  );
}

interface ExecutionDetailsProps {
  execution: Execution;
  /** Path of a version, in the skript's editor. */
  versionHref: (hash: string) => string;
}

/** The fields of a run that its summary leaves out. */
export function ExecutionDetails({ execution, versionHref }: ExecutionDetailsProps) {
  return (
    <Facts
      label="Details"
      facts={[
        [
          'Version',
          execution.bundle_hash === null ? (
            'not built'
          ) : (
            <Link
              key="version"
              className="link mono"
              to={versionHref(execution.bundle_hash)}
              title={execution.bundle_hash}
            >
              {execution.bundle_hash.slice(0, SHORT_HASH)}
            </Link>
          ),
        ],
        ['Category', execution.skript.category || '–'],
        ['Input', execution.input?.name ?? ((execution.input_value ?? null) === null ? '–' : 'typed')],
        ['Input secret', execution.inputSecret?.name ?? '–'],
        ...(execution.schedule ? [['Schedule', execution.schedule.name] satisfies Fact] : []),
        ['Attempt', execution.attempt],
        ['Ended', execution.ended_at ? <TimeText key="ended" iso={execution.ended_at} zone /> : 'not yet'],
        ['Updated', <TimeText key="updated" iso={execution.updated_at} zone />],
        ['Run ID', <CopyId key="id" id={execution.id} of="the run" />],
      ]}
    />
  );
}
