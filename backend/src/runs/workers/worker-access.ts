// SQL conditions about a worker and a user. Both parameters are SQL expressions that return an id.

/** Whether a worker, or its group, is assigned to a user. `worker` is the alias of a row of `workers`. */
const isAssigned = (worker: string, user: string): string =>
  `EXISTS (SELECT 1 FROM worker_assignments a
     WHERE a.user_id = ${user} AND (a.worker_id = ${worker}.id OR a.group_id = ${worker}.group_id))`;

/** Whether a worker, or its group, is assigned to a user. */
export const isWorkerAssigned = (worker: string, user: string): string =>
  `EXISTS (SELECT 1 FROM workers candidate WHERE candidate.id = ${worker} AND ${isAssigned('candidate', user)})`;

/** Whether a user may see and choose a worker. */
export const mayUseWorker = (worker: string, user: string): string =>
  `EXISTS (SELECT 1 FROM workers candidate JOIN users viewer ON viewer.id = ${user} WHERE candidate.id = ${worker}
     AND (candidate.public OR viewer.role = 'admin' OR ${isAssigned('candidate', 'viewer.id')}))`;

/**
 * Whether a worker's sandbox is strong enough for a user's code. Without the `full` sandbox, only the accounts from the
 * first start may run skripts, because untrusted code needs `full`.
 */
export const isSandboxSufficient = (worker: string, user: string): string =>
  `EXISTS (SELECT 1 FROM workers candidate JOIN users viewer ON viewer.id = ${user} WHERE candidate.id = ${worker}
     AND (candidate.sandbox = 'full' OR viewer.built_in))`;

/**
 * Whether a user may restart a worker. Administrators may, and so may the user of a private worker that is assigned to
 * nobody else.
 */
export const mayRestart = (worker: string, user: string): string =>
  `EXISTS (SELECT 1 FROM workers candidate JOIN users viewer ON viewer.id = ${user} WHERE candidate.id = ${worker}
     AND (viewer.role = 'admin' OR NOT candidate.public AND ARRAY[viewer.id] = ARRAY(
       SELECT DISTINCT a.user_id FROM worker_assignments a
       WHERE a.worker_id = candidate.id OR a.group_id = candidate.group_id)))`;
