import { api, unwrap } from '../../../api/client.js';
import type { Execution } from '../../../api/entities.js';
import type { BulkWork } from '../../../components/list/bulk/bulk-work.js';

const KEPT = 'The run or one of its retries is live. Stop it before you delete it.';

/** Deletes runs that have ended, with one call. The API keeps live runs, and runs with a live retry. */
export const deleteExecutions: BulkWork<Execution> = async runs => {
  const ids = runs.map(({ id }) => id);
  const { kept } = await unwrap(api.POST('/joint-api/skript-execution/delete-many', { body: { ids } }));
  return runs.filter(({ id }) => kept.includes(id)).map(item => ({ item, message: KEPT }));
};
