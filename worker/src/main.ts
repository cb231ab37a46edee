import { fileURLToPath } from 'node:url';
import { closeInherited } from './inherited-descriptors.js';

// Unless something else starts it again when it has ended, this process does so for a worker in a process of its own: a
// restart that was asked for from afar must leave no worker dead. It loads nothing of the worker.
if (process.env.TRAWL_SUPERVISED === '1') {
  closeInherited();
  await import('./worker.js');
} else {
  const { supervise } = await import('./supervisor.js');
  await supervise(fileURLToPath(import.meta.url));
}
