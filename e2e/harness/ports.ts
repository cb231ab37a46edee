import { createServer } from 'node:net';

/**
 * The ports from LOWEST to HIGHEST are below those that operating systems assign by themselves, so no other program
 * gets one of them by chance.
 */
const LOWEST = 20_000;
const HIGHEST = 32_000;

/** Finds a port of the loopback address on which no program listens. */
export const freePort = (): Promise<number> => freePorts(1);

/** Finds two consecutive ports on which no program listens, and returns the first. */
export const freePortPair = (): Promise<number> => freePorts(2);

/** Finds `count` consecutive ports on which no program listens, and returns the first. */
export async function freePorts(count: number): Promise<number> {
  for (;;) {
    const first = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST - count));
    const ports = Array.from({ length: count }, (_, index) => first + index);
    const areFree = await Promise.all(ports.map(listenOnce)).then(
      () => true,
      () => false,
    );
    if (areFree) return first;
  }
}

function listenOnce(wanted: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(wanted, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
