// @ts-check
import { once } from 'node:events';
import { createServer } from 'node:net';
import { Problem } from '../common/problem.mjs';

const SITE_HOST = '127.0.0.1';
const LAST_PORT = 65_534;

/**
 * @param {number} port
 * @param {string} host
 * @returns {Promise<string | undefined>} the system's error code, e.g. `EADDRINUSE`; undefined if the port is free
 */
async function whyNot(port, host) {
  const server = createServer().listen(port, host);
  try {
    await once(server, 'listening');
    return undefined;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code ?? String(error);
  } finally {
    server.close();
  }
}

/**
 * @param {{ port: number, sitePort: number, host: string }} settings
 * @throws {Problem} if a port is not available; the message names the port and says what to do
 */
export async function checkPorts({ port, sitePort, host }) {
  const reason = await whyNot(port, host);
  if (reason === 'EADDRNOTAVAIL' || reason === 'ENOTFOUND') {
    throw new Problem(`This machine has no address "${host}". Set HOST to one of its addresses, e.g. HOST=127.0.0.1.`);
  }
  if (reason === 'EACCES') {
    throw new Problem(`Only root may use port ${port} on this machine. Choose one above 1023: PORT=3000 npm start`);
  }
  const taken = reason ? port : (await whyNot(sitePort, SITE_HOST)) ? sitePort : undefined;
  if (taken === undefined) return;
  const what = taken === sitePort ? ' (for the practice site)' : '';
  const who = (await isTrawl(host, taken)) ? 'a Trawl that already runs' : 'another program';
  throw new Problem(
    `Port ${taken}${what} is taken by ${who}. Stop that, or choose another port: PORT=${await freePairFrom(port + 10, host)} npm start`,
  );
}

/**
 * @param {number} from
 * @param {string} host
 */
async function freePairFrom(from, host) {
  for (let port = from; port < LAST_PORT; port += 10) {
    if (!(await whyNot(port, host)) && !(await whyNot(port + 1, SITE_HOST))) return port;
  }
  return 0;
}

/**
 * @param {string} host
 * @param {number} port
 */
async function isTrawl(host, port) {
  try {
    const answer = await fetch(`http://${host}:${port}/health/live`, { signal: AbortSignal.timeout(500) });
    /** @type {any} */
    const health = await answer.json();
    return health.status === 'ok';
  } catch {
    return false; // another program, which does not answer like Trawl
  }
}

/** Finds two free consecutive ports, for a second Trawl on this machine. Returns the first of them. */
export async function freePair() {
  for (;;) {
    const server = createServer().listen(0, SITE_HOST);
    await once(server, 'listening');
    const address = server.address();
    const port = address && typeof address === 'object' ? address.port : 0;
    server.close();
    await once(server, 'close');
    if (port > 0 && port < LAST_PORT && !(await whyNot(port + 1, SITE_HOST))) return port;
  }
}
