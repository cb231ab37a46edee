import { Link } from 'react-router';
import type { Execution } from '../../../api/entities.js';
import { useExecution } from '../../../api/requests/get-execution.js';
import { EmptyState } from '../../../components/feedback/states.js';
import { runTargets } from '../run-targets.js';
import { RowComparison } from './row-comparison.js';

/** Returns the collections and tables that a run stored rows in with `mongo` and `postgres`, as people read them. */
const uncomparedIn = (run: Execution): string[] =>
  runTargets(run, null)
    .filter(({ kind, stored }) => kind !== 'dataset' && kind !== 'values' && stored > 0)
    .map(({ label, place }) => `${label} (${place})`);

interface ReplayComparisonProps {
  replay: Execution;
  originalId: string;
  originalHref: string;
}

/**
 * Says that a run is a replay, and compares its rows with the original's once it has ended well. Names the rows that
 * cannot be compared, because a replay does not write them.
 */
export function ReplayComparison({ replay, originalId, originalHref }: ReplayComparisonProps) {
  const original = useExecution(originalId).data;
  const uncompared = original ? uncomparedIn(original) : [];
  const reason = `The original stored rows in ${uncompared.join(', ')}. A replay does not make such writes. Only rows of dataset.push are compared.`;
  const isUncompared = uncompared.length > 0 && original?.rows === 0 && replay.rows === 0;
  return (
    <section className="replayed" aria-label="Rows of the replay and of the original">
      <p className="target-note">
        A replay of{' '}
        <Link className="link" to={originalHref}>
          the original run
        </Link>
        . It uses no network: its requests get the recorded answers.
      </p>
      {replay.action !== 'end' ? null : isUncompared ? (
        <EmptyState title="These rows are not compared">{reason}</EmptyState>
      ) : (
        <>
          {uncompared.length > 0 && <p className="change-note">{reason}</p>}
          <RowComparison executionId={replay.id} otherId={originalId} />
        </>
      )}
    </section>
  );
}
