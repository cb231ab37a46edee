import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { BrowserPipe } from './browser-pipe.js';

/**
 * What Chromium needs in a sandbox, which is the run's own: one within would ask for what a run may not do. The rest keeps
 * it from talking to anybody by itself, and from protocols that the way out of a sandbox does not know.
 */
export const OWN_ARGUMENTS = [
  '--no-sandbox',
  '--no-zygote',
  '--disable-gpu',
  '--disable-component-update',
  '--disable-domain-reliability',
  '--no-default-browser-check',
  '--no-pings',
  '--disable-quic',
];

/**
 * Where the sandbox has no network of its own, everything goes through the relay of this process (`proxied-network.ts`),
 * also to loopback, which Chromium would otherwise look for by itself.
 */
export function networkArguments(): string[] {
  const relay = process.env.TRAWL_PROXY;
  if (relay === undefined) return [];
  return [`--proxy-server=${relay.replace('socks5h:', 'socks5:')}`, '--proxy-bypass-list=<-loopback>'];
}

const LOG_CHARS = 2_000;

export interface ChromiumOptions {
  executable: string;
  arguments: string[];
  variables: NodeJS.ProcessEnv;
  /** File that gets what Chromium prints; null when the run prints it. */
  log: string | null;
}

/** A Chromium with its pipe, a child of this process and of the same session: it ends with the run, however that does. */
export class ChromiumProcess {
  readonly child: ChildProcess;
  readonly pipe: BrowserPipe;
  /** Resolves when it has ended. */
  readonly ended: Promise<void>;
  readonly #log: string | null;
  readonly #streams: Socket[];

  constructor(options: ChromiumOptions) {
    this.#log = options.log;
    const log = options.log === null ? null : openSync(options.log, 'w');
    this.child = spawn(options.executable, options.arguments, {
      env: options.variables,
      stdio: ['ignore', log ?? 'inherit', log ?? 'inherit', 'pipe', 'pipe'],
    });
    if (log !== null) closeSync(log);
    this.ended = new Promise(resolve => {
      this.child.once('error', () => resolve());
      this.child.once('exit', () => resolve());
    });
    const [, , , out, input] = this.child.stdio as unknown as Socket[];
    this.#streams = [out as Socket, input as Socket];
    this.pipe = new BrowserPipe(out as Socket, input as Socket);
  }

  /** Whether the process that started it goes on for its sake. */
  hold(held: boolean): void {
    for (const handle of [this.child, ...this.#streams])
      if (held) handle.ref();
      else handle.unref();
  }

  /** What it printed last, to tell why it did not start. */
  get lastWords(): string {
    try {
      return this.#log === null ? '' : readFileSync(this.#log, 'utf8').slice(-LOG_CHARS).trim();
    } catch {
      return '';
    }
  }

  kill(): void {
    this.child.kill('SIGKILL');
    this.pipe.close();
  }
}
