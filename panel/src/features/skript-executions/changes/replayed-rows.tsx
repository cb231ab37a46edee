import { isLive } from '@trawl/contracts';
import type { Execution } from '../../../api/entities.js';
import { useReplayedRows } from './changes.js';

/** How many rows of a replay are equal to those of the original. A replay stores none in collections and tables. */
export function ReplayedRows({ replay }: { replay: Execution }) {
  const { rows, isError } = useReplayedRows(replay);
  if (isLive(replay.action)) return 'compared at the end';
  if (replay.action !== 'end' || isError) return 'not compared';
  if (!rows) return 'comparing';
  if (rows.all === 0) return 'none';
  const [equal, all] = [rows.equal, rows.all].map(count => count.toLocaleString('en-GB'));
  return (
    <span className="tabular" title="Compared with the original run">
      {equal} of {rows.complete ? '' : 'the first '}
      {all} equal
    </span>
  );
}
