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
 * @property {import('@trawl/embedded').CappedLog} log
 * @property {() => Promise<boolean>} isReady asked again and again until it says so
 * @property {number} readyWithinMs
 * @property {number} stopWithinMs
 */

const POLL_MS = 40;
const TAIL_LINES = 20;
const RESTART_DELAYS_MS = [500, 1_000, 2_000, 5_000, 10_000, 30_000];
/** With this a worker ends that was told to restart. */
const RESTART_EXIT_CODE = 75;
/** A child that ran this long had recovered: its next death is a first one again. */
const RECOVERED_AFTER_MS = 60_000;

/** A part of the platform in a process of its own: started, watched, started again when it dies, stopped. */
export class Child {
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #process;
  /** @type {Promise<void> | undefined} */
  #stopped;
  #startedAt = 0;
  #deaths = 0;
  /** The one that was told to end so that another takes its place. @type {import('node:child_process').ChildProcess | undefined} */
  #replaced;
  /** Ends the wait before the next one is started. @type {AbortController | undefined} */
  #wait;
  #options;

  /** @param {ChildOptions} options */
  constructor(options) {
    this.#options = options;
  }

  /** Starts it and waits until it is ready. */
  async start() {
    const child = this.#spawn();
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

  /** Asks it to end, and insists after a while. May be called again. */
  stop() {
    this.#stopped ??= this.#end();
    return this.#stopped;
  }

  /** Starts it anew, at once; also when it keeps dying and would wait for a while. For what it runs has changed. */
  async restart() {
    const child = this.#process;
    if (!child || this.#stopped) return;
    this.#deaths = 0;
    this.#wait?.abort();
    if (hasEnded(child)) return; // it is started again anyway
    this.#replaced = child;
    await this.#end();
  }

  /** Ends it and what it started, at once. */
  kill() {
    const child = this.#process;
    if (!child?.pid || hasEnded(child)) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      child.kill('SIGKILL'); // its group has just gone
    }
  }

  #spawn() {
    const { args, env, log } = this.#options;
    // A group of its own: Ctrl-C reaches us alone, and we stop the parts in order. Its standard input is a pipe from
    // us that never carries anything: when it closes, the child knows that we are gone, however that came.
    const child = spawn(process.execPath, args, {
      cwd: ROOT,
      env: { ...env, TRAWL_SUPERVISED: '1' },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => log.write(chunk));
    child.stdin.on('error', () => {}); // it has died; its exit says so
    child.on('error', error => log.write(`${error.stack}\n`));
    this.#process = child;
    this.#startedAt = performance.now();
    return child;
  }

  /** @param {import('node:child_process').ChildProcess} child */
  async #died(child) {
    if (this.#stopped) return;
    if (child !== this.#replaced && child.exitCode !== RESTART_EXIT_CODE) await this.#pause(child);
    if (this.#stopped) return;
    const next = this.#spawn();
    next.once('exit', () => this.#died(next));
  }

  /** @param {import('node:child_process').ChildProcess} child that has died by itself */
  async #pause(child) {
    if (performance.now() - this.#startedAt > RECOVERED_AFTER_MS) this.#deaths = 0;
    const delayMs = RESTART_DELAYS_MS[Math.min(this.#deaths, RESTART_DELAYS_MS.length - 1)];
    this.#deaths += 1;
    const { name, log } = this.#options;
    line(`${paint.warn('!')} ${name} ended (${endingOf(child)}); starting it again. Its log: ${log.path}`);
    this.#wait = new AbortController();
    await delay(delayMs, undefined, { signal: this.#wait.signal }).catch(() => {}); // cut short: start at once
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
