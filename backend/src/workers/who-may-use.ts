// SQL conditions on a worker and a user, each given as an expression for its id.

/** Whether a worker is one that a user may see and choose. */
export const isOffered = (worker: string, user: string): string =>
  `EXISTS (SELECT 1 FROM workers asked JOIN users asking ON asking.id = ${user} WHERE asked.id = ${worker}
     AND (asked.public OR asking.role = 'admin' OR EXISTS (
       SELECT 1 FROM worker_assignments a WHERE a.worker_id = asked.id AND a.user_id = asking.id)))`;

/**
 * Whether a worker contains a user's code well enough. Below the `full` sandbox only the accounts made at the first start
 * may run skripts: code from strangers needs `full`.
 */
export const isContained = (worker: string, user: string): string =>
  `EXISTS (SELECT 1 FROM workers asked JOIN users asking ON asking.id = ${user} WHERE asked.id = ${worker}
     AND (asked.sandbox = 'full' OR asking.built_in))`;

/** Whether a user may restart a worker: an administrator, or the only one who may use it. */
export const mayRestart = (worker: string, user: string): string =>
  `EXISTS (SELECT 1 FROM workers asked JOIN users asking ON asking.id = ${user} WHERE asked.id = ${worker}
     AND (asking.role = 'admin' OR NOT asked.public AND ARRAY[asking.id] = ARRAY(
       SELECT a.user_id FROM worker_assignments a WHERE a.worker_id = asked.id)))`;
