// @ts-check
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fromRoot } from '../common/paths.mjs';
import { explain } from '../common/problem.mjs';
import { errorLine } from '../common/terminal.mjs';

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
    try {
      app ??= import(fromRoot('examples/dist/practice-site/app.js')).then(({ practiceSiteApp }) => practiceSiteApp());
      (await app)(request, response);
    } catch (error) {
      // Its code may be built anew just now. The next call loads it again.
      app = undefined;
      errorLine(`The practice site did not answer: ${explain(error)}`);
      response.writeHead(500).end();
    }
  });
  await once(server.listen(port, host), 'listening');
  return {
    stop: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
