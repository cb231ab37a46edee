import { fileURLToPath } from 'node:url';
import { closeInherited } from './process/inherited-descriptors.js';

// If this process was not started by a supervisor, it becomes the supervisor: it starts the worker in a child process
// and starts it again after a restart that was requested remotely. A supervisor loads none of the worker's modules.
if (process.env.TRAWL_SUPERVISED === '1') {
  closeInherited();
  await import('./worker.js');
} else {
  const { supervise } = await import('./supervisor.js');
  await supervise(fileURLToPath(import.meta.url));
}
