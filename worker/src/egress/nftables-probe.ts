import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';

const PROBE_MS = 10_000;

/** Tries both ports given as arguments on 127.0.0.1 and prints how each attempt ended. */
const ATTEMPTS = `
const { connect } = require('node:net');
const attempt = port => new Promise(resolve => {
  connect(port, '127.0.0.1').on('connect', () => resolve('connected')).on('error', error => resolve(error.code));
});
Promise.all(process.argv.slice(1).map(attempt)).then(ends => { console.log(ends.join(' ')); process.exit(); });
`;

/**
 * Sees whether rules hold for real, by a process of that user and two servers on loopback.
 *
 * @param enforce puts rules into force that allow nothing private but this port of 127.0.0.1
 * @throws Error that says what does not hold.
 */
export async function probeRules(uid: number, enforce: (allowedPort: number) => Promise<void>): Promise<void> {
  const [allowed, forbidden] = await Promise.all([listening(), listening()]);
  try {
    await enforce(portOf(allowed));
    const said = await attempts(uid, [portOf(allowed), portOf(forbidden)]);
    const [atAllowed, atForbidden] = said.trim().split(' ');
    if (atForbidden === 'connected')
      throw new Error('a process of a run reached loopback although the rules refuse it');
    if (atAllowed !== 'connected') throw new Error(`a process of a run did not reach what is allowed: ${said.trim()}`);
  } finally {
    allowed.close();
    forbidden.close();
  }
}

async function listening(): Promise<Server> {
  const server = createServer(connection => connection.destroy()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

function attempts(uid: number, ports: number[]): Promise<string> {
  const options = { uid, gid: uid, cwd: '/', env: {}, timeout: PROBE_MS };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, ['-e', ATTEMPTS, ...ports.map(String)], options, (error, stdout) =>
      error ? reject(new Error(`the process that tries the rules did not start: ${error.message}`)) : resolve(stdout),
    );
  });
}
