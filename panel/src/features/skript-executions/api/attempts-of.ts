import type { Execution } from '../../../api/entities.js';
import { useExecution } from '../../../api/requests/get-execution.js';
import { useExecutions } from '../../../api/requests/list-executions.js';

/** Page size of the list. It is larger than the maximum number of attempts, so one page has them all. */
const MAX_ATTEMPTS = 100;

/** All attempts of a run so far, the oldest first. */
export function useAttempts({ id, retry_of }: Execution) {
  const firstId = retry_of ?? id;
  // If the run on the screen is the first attempt, it is already in the cache.
  const first = useExecution(firstId);
  const later = useExecutions({ retry_of: firstId, sort: 'created_at', limit: MAX_ATTEMPTS });
  return { attempts: [...(first.data ? [first.data] : []), ...(later.data?.items ?? [])], later };
}
