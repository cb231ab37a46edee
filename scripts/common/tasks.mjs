// @ts-check
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import { ROOT } from './paths.mjs';
import { Problem } from './problem.mjs';

const SHOWN_LINES = 30;

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();

/**
 * Runs a program to its end. Shows its output only if it fails.
 * @param {string} what for the message, e.g. `Installing packages`
 * @param {string} command
 * @param {string[]} args
 * @param {object} [options]
 * @param {string} [options.cwd]
 * @param {NodeJS.ProcessEnv} [options.env]
 * @param {'errors'} [options.show] its standard error is shown at once
 * @param {AbortSignal} [options.signal] when aborted, kills the program and everything it started
 * @param {number} [options.niceness] the higher, the more other programs come first; at most 19
 * @param {(line: string) => void} [options.onLine] called with each line of its standard output
 */
export async function runTask(what, command, args, options = {}) {
  const { cwd = ROOT, env = process.env, show, signal, niceness, onLine } = options;
  // The program gets its own process group, so that killing the group also kills what it started.
  const child = spawn(command, args, {
    cwd,
    env,
    stdio: ['ignore', 'pipe', show ? 'inherit' : 'pipe'],
    detached: true,
  });
  if (niceness !== undefined && child.pid !== undefined) setNiceness(child.pid, niceness);
  if (onLine)
    createInterface({ input: /** @type {import('node:stream').Readable} */ (child.stdout) }).on('line', onLine);
  running.add(child);
  signal?.addEventListener('abort', () => kill(child), { once: true });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', chunk => (said += chunk));
  /** @type {[number | null, NodeJS.Signals | null]} */
  const [code, killedBy] = await new Promise((resolve, reject) => {
    child.on('error', error => reject(new Problem(`${what}: "${command}" could not be started (${error.message}).`)));
    child.on('close', (...ending) => resolve(ending));
  }).finally(() => running.delete(child));
  if (code === 0) return;
  throw new Problem(
    `${what} failed (${killedBy ?? `code ${code}`}): ${[command, ...args].join(' ')}\n${shorten(said)}`,
  );
}

/**
 * Sets the priority of a new process, which is inherited by all that it starts.
 * @param {number} pid leader of a session
 * @param {number} niceness
 */
function setNiceness(pid, niceness) {
  try {
    setPriority(pid, niceness);
    // Linux shares the processors between sessions before it compares the priorities of processes.
    writeFileSync(`/proc/${pid}/autogroup`, String(niceness));
  } catch {
    // The process has just ended, or this system has no such groups: then its priority decides.
  }
}

/**
 * @param {string} text long output; its first and last lines are kept, because tools report problems at the start or at
 *   the end
 */
function shorten(text) {
  const lines = text.trim().split('\n');
  if (lines.length <= SHOWN_LINES) return lines.join('\n');
  return [...lines.slice(0, SHOWN_LINES / 2), '…', ...lines.slice(-SHOWN_LINES / 2)].join('\n');
}

/** Kills all running tasks and everything they started. */
export function killTasks() {
  for (const child of running) kill(child);
}

/** @param {import('node:child_process').ChildProcess} child */
function kill(child) {
  try {
    if (child.pid) process.kill(-child.pid, 'SIGKILL');
  } catch {
    child.kill('SIGKILL'); // its process group no longer exists
  }
}

/**
 * Returns the command and the arguments to run npm with these. If npm started this process, it is the same npm.
 * @param {string[]} args
 * @returns {[string, string[]]}
 */
export function npm(...args) {
  const script = process.env.npm_execpath;
  return script?.endsWith('.js') ? [process.execPath, [script, ...args]] : ['npm', args];
}
