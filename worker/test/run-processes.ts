import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Echo } from '@trawl/contracts';
import type { PlatformStandIn } from './platform-stand-in.js';

/**
 * Code at the beginning of a skript. With `announce(pid, …)`, the skript tells the test the pids of its processes, also
 * from inside a pid namespace.
 */
export const ANNOUNCE = `
const announce = (...pids) => {
  let space = '';
  try { space = require('node:fs').readlinkSync('/proc/self/ns/pid'); } catch {}
  console.log('pids ' + [process.pid, ...pids].join(' ') + ' in ' + space);
};
`;

const ANNOUNCED = /^pids ([\d ]+) in (.*)$/;

/**
 * Waits for the first echo of a run. Returns the pids in it, converted to the pids that the processes have outside of
 * the sandbox.
 */
export async function announcedPids(platform: PlatformStandIn, id: string): Promise<number[]> {
  const { msg } = await firstEcho(platform, id);
  const [, pids = '', space = ''] = ANNOUNCED.exec(msg) ?? [];
  if (pids === '') throw new Error(`no pids were announced: ${msg}`);
  return pids.split(' ').map(pid => hostPid(Number(pid), space));
}

/** Waits for the first echo of a run, without watching it live. */
export async function firstEcho(platform: PlatformStandIn, id: string): Promise<Echo> {
  const echoes = await until(
    () => platform.read(id, 1, 1),
    ({ length }) => length > 0,
  );
  return echoes[0] as Echo;
}

/**
 * Reads a file in the folder of a run through one of the run's live processes. Returns an empty text if the file does
 * not exist.
 */
export const written = (pid: number, file: string): Promise<string> =>
  readFile(`/proc/${pid}/cwd/${file}`, 'utf8').catch(() => '');

export async function until<T>(look: () => T | Promise<T>, good: (seen: T) => boolean): Promise<T> {
  for (const deadline = Date.now() + 60_000; ; await pause(20)) {
    const seen = await look();
    if (good(seen)) return seen;
    if (Date.now() > deadline) throw new Error(`Timed out after 60 s; last value: ${JSON.stringify(seen)}`);
  }
}

/** Lists the live processes of a user id. */
export function processesOf(uid: number): number[] {
  const isOfUser = (pid: number) => {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      return status.includes(`\nUid:\t${uid}\t`) && !/^State:\t[ZX]/m.test(status);
    } catch {
      return false; // it has ended
    }
  };
  return readdirSync('/proc')
    .map(Number)
    .filter(pid => pid > 0 && isOfUser(pid));
}

function hostPid(pid: number, space: string): number {
  if (space === '' || space === spaceOf(process.pid)) return pid;
  const all = readdirSync('/proc').map(Number).filter(Number.isInteger);
  const found = all.find(candidate => spaceOf(candidate) === space && pidInside(candidate) === pid);
  if (found === undefined) throw new Error(`process ${pid} of ${space} does not exist`);
  return found;
}

function spaceOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return ''; // it has ended
  }
}

function pidInside(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^NSpid:.*\t(\d+)$/m.exec(status)?.[1]);
  } catch {
    return 0; // it has ended
  }
}
