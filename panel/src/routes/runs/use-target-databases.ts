import { useDatabases } from '../../api/requests/storage/list-databases.js';
import type { RunTarget } from '../../features/skript-executions/run-targets.js';

/** The account's databases, the oldest first, if a target is in one of them. */
export const useTargetDatabases = (targets: readonly RunTarget[]) =>
  useDatabases(
    { limit: 100, sort: 'created_at' },
    { isWanted: targets.some(({ store, name }) => store === 'mongodb' && name !== null) },
  );
