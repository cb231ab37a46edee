import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';

const PROBE_MS = 10_000;

/** Program that connects to 127.0.0.1 on each port in its arguments and prints each outcome. */
const ATTEMPTS = `
const { connect } = require('node:net');
const attempt = port => new Promise(resolve => {
  connect(port, '127.0.0.1').on('connect', () => resolve('connected')).on('error', error => resolve(error.code));
});
Promise.all(process.argv.slice(1).map(attempt)).then(ends => { console.log(ends.join(' ')); process.exit(); });
`;

/**
 * Checks that the kernel applies the rules, with a process of this user id and two servers on loopback.
 *
 * @param enforce sets rules that allow only this port of 127.0.0.1
 * @throws Error that says which rule does not work
 */
export async function probeRules(uid: number, enforce: (allowedPort: number) => Promise<void>): Promise<void> {
  const [allowed, forbidden] = await Promise.all([listening(), listening()]);
  try {
    await enforce(portOf(allowed));
    const outcomes = (await attempts(uid, [portOf(allowed), portOf(forbidden)])).trim();
    const [atAllowed, atForbidden] = outcomes.split(' ');
    if (atForbidden === 'connected') throw new Error("a run's process reached loopback although the rules forbid it");
    if (atAllowed !== 'connected') throw new Error(`a run's process could not reach an allowed port: ${outcomes}`);
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
      error ? reject(new Error(`the process that tests the rules did not start: ${error.message}`)) : resolve(stdout),
    );
  });
}
