import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Execution } from '../../../api/entities.js';
import { RunDuration } from '../../../components/runs/run-duration.js';
import { RunStatus, WaitingText } from '../../../components/values/status.js';
import { TimeText } from '../../../components/values/time-text.js';
import { versionText } from '../../../components/values/version-text.js';
import { useAttempts } from '../api/attempts-of.js';
import { ReplayedRows } from '../changes/replayed-rows.js';
import { differenceText } from '../run-targets.js';

interface RunHeadProps {
  execution: Execution;
  /** Rows that the run has stored, and how many more than the last good run. */
  rows: { stored: number; difference: number | null };
  /** Paths of the version in the editor, of the worker, and of the tabs of this page. */
  links: { version: string; worker: string; rows: string; attempts: string };
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Difference to the last good run. Fewer rows are marked, because a site may have changed. */
export function Difference({ of }: { of: number | null }) {
  if (of === null) return null;
  return (
    <span className="difference" data-fewer={of < 0 || undefined} title="Compared with the last good run">
      {differenceText(of)}
      <span className="visually-hidden"> compared with the last good run</span>
    </span>
  );
}

/** The main facts of a run in one line. */
export function RunHead({ execution, rows, links }: RunHeadProps) {
  const { action, waiting_for: waiting, worker, bundle_hash: hash, version_number: number } = execution;
  const attempts = useAttempts(execution).attempts.length;
  return (
    <section className="card" aria-label="Summary">
      <dl className="run-line">
        <Fact name="Status">
          <RunStatus action={action} waiting={waiting} />
        </Fact>
        <Fact name="Duration">
          <RunDuration run={execution} />
        </Fact>
        <Fact name="Version">
          {hash === null ? (
            'not built'
          ) : (
            <Link className="link tabular" to={links.version} title={hash}>
              {versionText(number, hash)}
            </Link>
          )}
        </Fact>
        <Fact name="Worker">
          {worker ? (
            <Link className="link" to={links.worker}>
              {worker.name}
            </Link>
          ) : (
            'not chosen yet'
          )}
        </Fact>
        <Fact name="Rows">
          {execution.replay_of === null ? (
            <>
              <Link className="link tabular" to={links.rows}>
                {rows.stored.toLocaleString('en-GB')}
              </Link>
              <Difference of={rows.difference} />
            </>
          ) : (
            <ReplayedRows replay={execution} />
          )}
        </Fact>
        {attempts > 1 && (
          <Fact name="Attempt">
            <Link className="link" to={links.attempts}>
              {execution.attempt} of {attempts}
            </Link>
          </Fact>
        )}
        <Fact name="Created">
          <TimeText iso={execution.created_at} zone />
        </Fact>
      </dl>
      {waiting && (
        <p className="run-waits" role="status">
          <WaitingText waiting={waiting} />, since <TimeText iso={waiting.since} zone />
        </p>
      )}
    </section>
  );
}
