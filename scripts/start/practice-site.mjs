// @ts-check
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fromRoot } from '../common/paths.mjs';

/**
 * Serves the practice site from this process. Its code is loaded at the first call: most starts need it never, and a
 * process of its own would keep 30 MB of memory.
 * @param {number} port
 * @param {string} host
 * @returns {Promise<import('./platform.mjs').Stoppable>}
 */
export async function servePracticeSite(port, host) {
  /** @type {Promise<import('node:http').RequestListener> | undefined} */
  let app;
  const server = createServer(async (request, response) => {
    app ??= import(fromRoot('examples/dist/practice-site/app.js')).then(({ practiceSiteApp }) => practiceSiteApp());
    (await app)(request, response);
  });
  await once(server.listen(port, host), 'listening');
  return {
    stop: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
