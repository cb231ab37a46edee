// @ts-check
// Measures the use of the processors by the parts of Trawl, the client of the attack, and all others, such as runs.
import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** @typedef {Record<string, number>} Seconds processor time by part */

/** @param {string} path @returns {string} empty if the process has ended */
function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Processor time of each process, and of its children that have ended, in seconds. */
function processes() {
  const found = new Map();
  for (const pid of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
    const fields = read(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? [];
    const [parent, own, ended] = [Number(fields[1]), sum(fields.slice(11, 13)), sum(fields.slice(13, 15))];
    if (fields.length > 15) found.set(Number(pid), { parent, own, ended });
  }
  return found;
}

const sum = (/** @type {string[]} */ ticks) =>
  ticks.reduce((total, each) => total + Number(each), 0) / TICKS_PER_SECOND;

/**
 * Reads the processor time that each part has used.
 * @param {Record<string, number>} parts process of each part. A part counts its children, unless they are a part, too
 * @param {Record<string, string>} children name for the children of a part, where they count as a part of their own
 * @returns {Seconds}
 */
export function processorTime(parts, children) {
  const all = processes();
  const partOf = new Map(Object.entries(parts).map(([name, pid]) => [pid, name]));
  /** @type {Seconds} */
  const seconds = {};
  const add = (/** @type {string} */ name, /** @type {number} */ value) => {
    seconds[name] = (seconds[name] ?? 0) + value;
  };
  for (const [pid, { own, ended }] of all) {
    let ancestor = pid;
    while (ancestor > 1 && !partOf.has(ancestor)) ancestor = all.get(ancestor)?.parent ?? 0;
    const name = partOf.get(ancestor);
    if (!name) continue;
    add(ancestor === pid ? name : (children[name] ?? name), own);
    add(children[name] ?? name, ended);
  }
  const [user = 0, nice = 0, system = 0] = (read('/proc/stat').match(/\d+/g) ?? []).map(Number);
  const total = (user + nice + system) / TICKS_PER_SECOND;
  return { ...seconds, 'runs, others': Object.values(seconds).reduce((left, each) => left - each, total) };
}

/**
 * Finds the child of a process by its command line; 0 if there is none.
 * @param {number} parent @param {RegExp} command
 */
export const childOf = (parent, command) =>
  [...processes()].find(([pid, child]) => child.parent === parent && command.test(read(`/proc/${pid}/cmdline`)))?.[0] ??
  0;

/**
 * Time for which the main thread of a process could have run, but waited for a processor, in seconds.
 * @param {number} pid
 */
export const processorWait = pid => Number(read(`/proc/${pid}/task/${pid}/schedstat`).split(' ')[1]) / 1e9;
