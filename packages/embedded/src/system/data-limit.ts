import { totalmem } from 'node:os';

const GIB = 1024 ** 3;
/** MongoDB's cache and the connections of the backend need a gigabyte. */
const MIN_BYTES = 1.5 * GIB;
const MEMORY_SHARE = 1 / 4;

/** Returns how much memory an engine may allocate: a quarter of the machine's or the container's memory. */
export function defaultDataBytes(memoryBytes = availableBytes()): number {
  return Math.max(MIN_BYTES, Math.floor(memoryBytes * MEMORY_SHARE));
}

/** `constrainedMemory` is 0, or larger than the machine's memory, if this process is in no container with a limit. */
export const availableBytes = (): number =>
  Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);

/**
 * Returns a command that runs `command` with a limit of the memory that each of its processes can allocate. If this
 * process already has a lower limit, the lower one stays. macOS has no such limit, so the command stays the same there.
 * See docs/decisions/0395-mongodb-has-a-limit-of-data.md.
 */
export function withDataLimit(command: string, args: string[], bytes: number): { command: string; args: string[] } {
  if (process.platform !== 'linux') return { command, args };
  const script = `ulimit -d ${Math.floor(bytes / 1024)}; exec "$@"`;
  return { command: '/bin/sh', args: ['-c', script, 'sh', command, ...args] };
}
