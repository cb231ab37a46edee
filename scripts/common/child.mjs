// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { ROOT } from './paths.mjs';
import { Problem } from './problem.mjs';
import { line, paint } from './terminal.mjs';

/**
 * @typedef {object} ChildOptions
 * @property {string} name for messages, e.g. `The backend`
 * @property {string[]} args of node
 * @property {NodeJS.ProcessEnv} env
 * @property {number} [restartCode] exit code by which a child requests an immediate restart
 * @property {import('@trawl/embedded').CappedLog} log
 * @property {Promise<string>} [late] what the child needs to know later than its start: written as a line to its
 *   standard input
 * @property {() => Promise<boolean>} isReady polled until true
 * @property {number} readyWithinMs
 * @property {number} stopWithinMs
 */

const POLL_MS = 40;
const TAIL_LINES = 20;
const RESTART_DELAYS_MS = [500, 1_000, 2_000, 5_000, 10_000, 30_000];
/**
 * Each restart of a child that dies is delayed longer than the one before. If the child ran longer than this, the next
 * delay is the shortest one again.
 */
const RECOVERED_AFTER_MS = 60_000;

/** Runs one part of the platform in a child process: starts the process, restarts it when it dies, and stops it. */
export class Child {
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #process;
  /** @type {Promise<void> | undefined} */
  #stopped;
  #startedAt = 0;
  #deaths = 0;
  /** The process that `restart` ended. @type {import('node:child_process').ChildProcess | undefined} */
  #replaced;
  /** Ends the delay before a restart early. @type {AbortController | undefined} */
  #wait;
  #options;

  /** @param {ChildOptions} options */
  constructor(options) {
    this.#options = options;
  }

  /** Starts the process. Call `start` to wait until it is ready. */
  spawn() {
    this.#process ??= this.#spawn();
    return this.#process;
  }

  /** Waits until the process is ready, and starts it before that unless it was. */
  async start() {
    const child = this.spawn();
    const { name, log, isReady, readyWithinMs } = this.#options;
    const deadline = performance.now() + readyWithinMs;
    while (!(await isReady())) {
      if (this.#stopped) return;
      if (hasEnded(child)) throw new Problem(`${name} ended while starting (${endingOf(child)}).${tailOf(log.path)}`);
      if (performance.now() > deadline) {
        throw new Problem(`${name} is not ready after ${readyWithinMs / 1000} s.${tailOf(log.path)}`);
      }
      await delay(POLL_MS);
    }
    if (hasEnded(child)) this.#died(child);
    else child.once('exit', () => this.#died(child));
  }

  /** Stops the process: SIGTERM, then SIGKILL after `stopWithinMs`. Idempotent. */
  stop() {
    this.#stopped ??= this.#end();
    return this.#stopped;
  }

  /**
   * Restarts the process at once, because its code has changed. If the process is waiting for a restart, it does not
   * wait longer.
   */
  async restart() {
    const child = this.#process;
    if (!child || this.#stopped) return;
    this.#deaths = 0;
    this.#wait?.abort();
    if (hasEnded(child)) return; // a restart is already on its way
    this.#replaced = child;
    await this.#end();
  }

  /** Kills the process and everything it started. */
  kill() {
    const child = this.#process;
    if (!child?.pid || hasEnded(child)) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      child.kill('SIGKILL'); // its process group no longer exists
    }
  }

  #spawn() {
    const { args, env, log, late } = this.#options;
    // The child gets its own process group, so that Ctrl-C reaches only us and we can stop the parts in order. When this
    // process ends, the child's standard input is closed, and so the child knows that it must end.
    const child = spawn(process.execPath, args, {
      cwd: ROOT,
      env: { ...env, TRAWL_SUPERVISED: '1' },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => log.write(chunk));
    child.stdin.on('error', () => {}); // the 'exit' event reports a dead child
    late?.then(
      text => child.stdin.write(`${text}\n`),
      () => {}, // the caller handles the error
    );
    child.on('error', error => log.write(`${error.stack}\n`));
    this.#process = child;
    this.#startedAt = performance.now();
    return child;
  }

  /** @param {import('node:child_process').ChildProcess} child */
  async #died(child) {
    if (this.#stopped) return;
    const asksForRestart = child.exitCode === this.#options.restartCode;
    if (child !== this.#replaced && !asksForRestart) await this.#pause(child);
    if (this.#stopped) return;
    const next = this.#spawn();
    next.once('exit', () => this.#died(next));
  }

  /** @param {import('node:child_process').ChildProcess} child that ended although nobody stopped it */
  async #pause(child) {
    if (performance.now() - this.#startedAt > RECOVERED_AFTER_MS) this.#deaths = 0;
    const delayMs = RESTART_DELAYS_MS[Math.min(this.#deaths, RESTART_DELAYS_MS.length - 1)];
    this.#deaths += 1;
    const { name, log } = this.#options;
    line(`${paint.warn('!')} ${name} exited (${endingOf(child)}); restarting it. Its log: ${log.path}`);
    this.#wait = new AbortController();
    await delay(delayMs, undefined, { signal: this.#wait.signal }).catch(() => {}); // aborted: restart now
    this.#wait = undefined;
  }

  async #end() {
    const child = this.#process;
    if (!child || hasEnded(child)) return;
    const exited = once(child, 'exit');
    const timer = setTimeout(() => this.kill(), this.#options.stopWithinMs);
    child.kill('SIGTERM');
    await exited;
    clearTimeout(timer);
  }
}

/** @param {import('node:child_process').ChildProcess} child */
const hasEnded = child => child.exitCode !== null || child.signalCode !== null || child.pid === undefined;

/** @param {import('node:child_process').ChildProcess} child */
const endingOf = child => child.signalCode ?? `code ${child.exitCode}`;

/** @param {string} path */
function tailOf(path) {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n').slice(-TAIL_LINES);
  return ` The end of ${path}:\n${lines.join('\n')}`;
}
