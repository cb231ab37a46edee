// @ts-check
import { spawn } from 'node:child_process';
import { ROOT } from './paths.mjs';
import { Problem } from './problem.mjs';

const SHOWN_LINES = 30;

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();

/**
 * Runs a program of the build to its end, silently; what it said is shown only if it fails.
 * @param {string} what for the message, e.g. `Installing packages`
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, show?: 'errors' }} [options] `show`: its standard error goes on to ours
 */
export async function runTask(what, command, args, { cwd = ROOT, env = process.env, show } = {}) {
  // A group of its own, so that ending it ends what it started.
  const child = spawn(command, args, {
    cwd,
    env,
    stdio: ['ignore', 'pipe', show ? 'inherit' : 'pipe'],
    detached: true,
  });
  running.add(child);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', chunk => (said += chunk));
  /** @type {[number | null, NodeJS.Signals | null]} */
  const [code, signal] = await new Promise((resolve, reject) => {
    child.on('error', error => reject(new Problem(`${what}: "${command}" could not be started (${error.message}).`)));
    child.on('close', (...ending) => resolve(ending));
  }).finally(() => running.delete(child));
  if (code === 0) return;
  throw new Problem(`${what} failed (${signal ?? `code ${code}`}): ${[command, ...args].join(' ')}\n${shorten(said)}`);
}

/** @param {string} text tools say what is wrong either at once or at the end */
function shorten(text) {
  const lines = text.trim().split('\n');
  if (lines.length <= SHOWN_LINES) return lines.join('\n');
  return [...lines.slice(0, SHOWN_LINES / 2), '…', ...lines.slice(-SHOWN_LINES / 2)].join('\n');
}

/** Ends whatever runs, with all that it started. */
export function killTasks() {
  for (const child of running) {
    try {
      if (child.pid) process.kill(-child.pid, 'SIGKILL');
    } catch {
      child.kill('SIGKILL'); // its group has just gone
    }
  }
}

/**
 * The command and first arguments of npm: the npm that started us, if one did.
 * @returns {[string, string[]]}
 */
export function npm() {
  const script = process.env.npm_execpath;
  return script?.endsWith('.js') ? [process.execPath, [script]] : ['npm', []];
}
