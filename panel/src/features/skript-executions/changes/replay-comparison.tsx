import { Link } from 'react-router';
import type { Execution } from '../../../api/entities.js';
import { useExecution } from '../../../api/requests/get-execution.js';
import { EmptyState } from '../../../components/feedback/states.js';
import { runTargets } from '../run-targets.js';
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
 * has changed rows, because a replay does not make such writes.
 */
export function ReplayComparison({ replay, originalId, originalHref }: ReplayComparisonProps) {
  const original = useExecution(originalId).data;
  const targets = original ? targetsOf(original) : [];
  const changed = targets.filter(({ updated, deleted }) => updated + deleted > 0);
  const names = changed.map(({ label, place }) => `${label} (${place})`).join(', ');
  const reason = `The original changed or deleted rows in ${names}. A replay does not make such writes, so they are not compared.`;
  const hasRows = targets.some(({ inserted }) => inserted > 0) || original?.rows !== 0 || replay.rows !== 0;
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
