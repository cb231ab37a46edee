/** Works with JSON Schemas of users. Runs in the threads of `SchemaThreads`, so it may import no services. */
import { constants, setPriority } from 'node:os';
import { isMainThread } from 'node:worker_threads';

// On Linux, each thread has a priority of its own. Without this, the main thread would wait for these threads. With the lowest,
// they would get no time on a busy machine.
if (!isMainThread && process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

export { checkRows } from './row-check.js';
export { trialProblem } from './schema-trial.js';
