import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { PlatformStandIn } from './platform-stand-in.js';

/** In a skript: `announce(pid, …)` tells the test which processes there are, however they are called in the sandbox. */
export const ANNOUNCE = `
const announce = (...pids) => {
  let space = '';
  try { space = require('node:fs').readlinkSync('/proc/self/ns/pid'); } catch {}
  console.log('pids ' + [process.pid, ...pids].join(' ') + ' in ' + space);
};
`;

const ANNOUNCED = /^pids ([\d ]+) in (.*)$/;

/** What the run announced in its first echo, which is then on disk: pids as this machine counts them. */
export async function announcedPids(platform: PlatformStandIn, id: string): Promise<number[]> {
  let first = await platform.read(id, 1, 1);
  while (first.length === 0) first = await platform.read(id, 1, 1);
  const [, pids = '', space = ''] = ANNOUNCED.exec(first[0]?.msg ?? '') ?? [];
  if (pids === '') throw new Error(`no pids were announced: ${first[0]?.msg}`);
  return pids.split(' ').map(pid => hostPid(Number(pid), space));
}

/** What a process of the run, by its pid on this machine, has written into the run's folder, where that process still is. */
export const written = (pid: number, file: string): Promise<string> =>
  readFile(`/proc/${pid}/cwd/${file}`, 'utf8').catch(() => '');

export async function until<T>(look: () => T | Promise<T>, good: (seen: T) => boolean): Promise<T> {
  for (const deadline = Date.now() + 20_000; ; await pause(10)) {
    const seen = await look();
    if (good(seen)) return seen;
    if (Date.now() > deadline) throw new Error(`Not so in 20 s; seen last: ${JSON.stringify(seen)}`);
  }
}

/** All that live with this user id. */
export function processesOf(uid: number): number[] {
  const isOfUser = (pid: number) => {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      return status.includes(`\nUid:\t${uid}\t`) && !/^State:\t[ZX]/m.test(status);
    } catch {
      return false; // gone meanwhile
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
  if (found === undefined) throw new Error(`process ${pid} of ${space} is not there`);
  return found;
}

function spaceOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return ''; // gone meanwhile
  }
}

function pidInside(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^NSpid:.*\t(\d+)$/m.exec(status)?.[1]);
  } catch {
    return 0; // gone meanwhile
  }
}
