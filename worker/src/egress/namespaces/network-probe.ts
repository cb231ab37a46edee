import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { AllowedNetwork } from '../allow-list.js';
import type { NetworkBlock } from './network-block.js';

const PROBE_MS = 60_000;
const CONNECT_MS = 20_000;
/** A port of the probe's namespace at which nothing listens. */
const CLOSED_PORT = 1;

/** Program that connects to each `address:port` in its arguments and prints each outcome. */
const ATTEMPTS = `
const { connect } = require('node:net');
const attempt = target => new Promise(resolve => {
  const [host, port] = target.split(':');
  setTimeout(resolve, ${CONNECT_MS}, 'timeout').unref();
  connect({ host, port }).on('connect', () => resolve('connected')).on('error', error => resolve(error.code));
});
Promise.all(process.argv.slice(1).map(attempt)).then(ends => { console.log(ends.join(' ')); process.exit(); });
`;

export interface NetworkProbe {
  block: NetworkBlock;
  /** Program and arguments that start another program in the network of a slot. */
  enter: string[];
  /** Sets rules with these exceptions. */
  enforce: (exceptions: { allowed: AllowedNetwork[] }) => Promise<void>;
}

/**
 * Checks the network of a slot with connections: to a server of the host, which the rules forbid, and to a namespace
 * beside the router, which answers as another machine would.
 *
 * @throws Error that says what does not work
 */
export async function probeNetwork({ block, enter, enforce }: NetworkProbe): Promise<void> {
  const server = createServer(connection => connection.destroy()).listen(0, block.hostAddress);
  await once(server, 'listening');
  try {
    const forbidden = (server.address() as AddressInfo).port;
    await enforce({ allowed: [{ network: `${block.probeAddress}/32`, port: CLOSED_PORT }] });
    const targets = [`${block.hostAddress}:${forbidden}`, `${block.probeAddress}:${CLOSED_PORT}`];
    const outcomes = (await attempts(enter, targets)).trim();
    const [atHost, beyond] = outcomes.split(' ');
    if (atHost === 'connected') throw new Error('a run reached this machine although the rules forbid it');
    // The kernel of the other side refuses a connection to a closed port. So the packets went there and back.
    if (beyond !== 'ECONNREFUSED') {
      throw new Error(`a firewall of this machine stops packets that it forwards for runs: ${outcomes}`);
    }
  } finally {
    server.close();
  }
}

function attempts(enter: string[], targets: string[]): Promise<string> {
  const [program = '', ...args] = [...enter, process.execPath, '-e', ATTEMPTS, ...targets];
  return new Promise((resolve, reject) => {
    execFile(program, args, { cwd: '/', env: {}, timeout: PROBE_MS }, (error, stdout) =>
      error ? reject(new Error(`the process that tests the network did not start: ${error.message}`)) : resolve(stdout),
    );
  });
}
