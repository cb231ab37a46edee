import { Link } from 'react-router';
import type { Execution } from '../../../api/entities.js';
import { useExecution } from '../../../api/requests/get-execution.js';
import { EmptyState } from '../../../components/feedback/states.js';
import { runTargets } from '../run-targets.js';
import { useReplayedRows } from './changes.js';
import { RowComparison } from './row-comparison.js';

/** Returns the collections and tables of the user that a run has written to. */
const targetsOf = (run: Execution) =>
  runTargets(run, null).filter(({ kind }) => kind !== 'dataset' && kind !== 'values');

interface ReplayComparisonProps {
  replay: Execution;
  originalId: string;
  originalHref: string;
}

/**
 * Says that a run is a replay, and compares its rows with the original's once it has ended well. Names where the original
 * has written in ways that are not compared.
 */
export function ReplayComparison({ replay, originalId, originalHref }: ReplayComparisonProps) {
  const original = useExecution(originalId).data;
  const targets = original ? targetsOf(original) : [];
  // The rows that a run sends with updates of MongoDB are compared.
  const changed = targets.filter(({ kind, updated, deleted }) => deleted > 0 || (kind === 'table' && updated > 0));
  const names = changed.map(({ label, place }) => `${label} (${place})`).join(', ');
  const verb = changed.some(({ kind }) => kind === 'table') ? 'changed or deleted' : 'deleted';
  const reason = `The original ${verb} rows in ${names}. A replay does not make such writes, so they are not compared.`;
  const hasRows = useReplayedRows(replay).rows?.all !== 0;
  return (
    <section className="replayed" aria-label="Rows of the replay and of the original">
      <p className="target-note">
        A replay of{' '}
        <Link className="link" to={originalHref}>
          the original run
        </Link>
        . It uses no network: its requests get the recorded answers.
      </p>
      {replay.action !== 'end' ? null : changed.length > 0 && !hasRows ? (
        <EmptyState title="These rows are not compared">{reason}</EmptyState>
      ) : (
        <>
          {changed.length > 0 && <p className="change-note">{reason}</p>}
          <RowComparison executionId={replay.id} otherId={originalId} />
        </>
      )}
    </section>
  );
}
