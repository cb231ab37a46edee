/**
 * The process of the proxy (`egress-proxy.ts`), beside the worker and without any secret of it: what runs send through
 * it takes no time of the worker's. It is told on its standard input where to listen and what is allowed, and ends with
 * it.
 */
import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { EgressProxy } from './egress-proxy.js';
import type { ProxyLine } from './proxy-line.js';
import { PROXY_SOCKET } from './proxy-protocol.js';

/** Has nothing on any system. */
const NOBODY = 65_534;

const proxy = new EgressProxy();

// Whoever ends everything here tells the worker too, whose runs are then still to be ended in order.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});

const lines = createInterface({ input: process.stdin });
lines.on('line', text => {
  const line = JSON.parse(text) as ProxyLine;
  proxy.allowed = line.allowed;
  if (line.places) void listen(line.places);
});
lines.on('close', () => process.exit());

/** In the working directory: a path of its own may be longer than a socket's may be. */
async function listen(places: { folder: string; uid: number | null }[]): Promise<void> {
  for (const { folder, uid } of places) {
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
