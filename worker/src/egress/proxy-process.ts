/**
 * The process of the proxy (`egress-proxy.ts`). It is a separate process, so that the traffic of runs does not take the
 * worker's time, and it knows none of the worker's secrets. The worker sends the folders of the sockets and the allowed
 * networks to its standard input. The process ends when its standard input closes.
 */
import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { ignoreStopSignals } from '../process/helper-process.js';
import { PROXY_SOCKET } from '../protocol/proxy-protocol.js';
import { EgressProxy } from './egress-proxy.js';
import type { ProxyLine, ProxySlot } from './proxy-line.js';

/** User id of `nobody`, a user without rights. */
const NOBODY = 65_534;

const proxy = new EgressProxy();

ignoreStopSignals();

const lines = createInterface({ input: process.stdin });
lines.on('line', text => {
  const line = JSON.parse(text) as ProxyLine;
  proxy.allowed = line.allowed;
  if (line.slots) void listen(line.slots);
});
lines.on('close', () => process.exit());

/** Listens on relative paths, because an absolute path can exceed the maximum length of a socket's path. */
async function listen(slots: ProxySlot[]): Promise<void> {
  for (const { folder, uid } of slots) {
    mkdirSync(folder, { recursive: true });
    const path = `${folder}/${PROXY_SOCKET}`;
    await new Promise<void>((resolve, reject) => proxy.server().once('error', reject).listen(path, resolve));
    chmodSync(path, 0o600);
    if (uid !== null) for (const owned of [path, folder]) chownSync(owned, uid, uid);
    chmodSync(folder, 0o700);
  }
  if (process.getuid?.() === 0) {
    process.setgroups?.([]);
    process.setgid?.(NOBODY);
    process.setuid?.(NOBODY);
  }
  process.stdout.write('listening\n');
}
