import type { Execution } from '../../api/entities.js';
import { isDataset, isKeyValueStore } from './written-target.js';

/** Number of rows that a run has stored, wherever. What its key-value store keeps for later runs are no rows. */
export function storedRows({ rows, skript, writes = [] }: Pick<Execution, 'rows' | 'skript' | 'writes'>): number {
  return (
    writes
      .filter(write => !isDataset(write, skript.id) && !isKeyValueStore(write, skript.id))
      .reduce((sum, { inserted, updated }) => sum + inserted + updated, 0) + rows
  );
}
