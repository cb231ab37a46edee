import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { BrowserPipe } from './browser-pipe.js';

/**
 * Arguments for Chromium in a run. Chromium's own sandbox is off, because it needs rights that a run does not have; the
 * run's sandbox replaces it. Other arguments turn off requests that Chromium sends for itself, and QUIC, which the
 * egress proxy does not support.
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
 * Returns the arguments that make Chromium send all traffic, even to loopback, through the relay in this process
 * (`proxied-network.ts`), and no UDP. Returns no arguments when the run shares the machine's network.
 */
export function networkArguments(): string[] {
  const relay = process.env.TRAWL_PROXY;
  if (relay === undefined) return [];
  return [
    `--proxy-server=${relay.replace('socks5h:', 'socks5:')}`,
    '--proxy-bypass-list=<-loopback>',
    // WebRTC sends UDP, which would show the site the address of the worker.
    '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  ];
}

/**
 * Makes Chromium send everything to a proxy that does not exist, as if it had no network. Only root can listen on port 1.
 */
export const WITHOUT_NETWORK = ['--proxy-server=socks5://127.0.0.1:1', '--proxy-bypass-list=<-loopback>'];

const LOG_CHARS = 2_000;

export interface ChromiumOptions {
  executable: string;
  arguments: string[];
  variables: NodeJS.ProcessEnv;
  /** File for the text that Chromium prints. If null, the text is printed as output of the run. */
  log: string | null;
}

/**
 * A running Chromium with the pipe to it. Chromium is a child process in the process session of this process. The worker
 * kills the whole session at the end of the run, so Chromium never outlives the run.
 */
export class ChromiumProcess {
  readonly child: ChildProcess;
  readonly pipe: BrowserPipe;
  /** Resolves when Chromium has ended. */
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

  /** If `held` is true, this process stays alive as long as Chromium is running. */
  hold(held: boolean): void {
    for (const handle of [this.child, ...this.#streams])
      if (held) handle.ref();
      else handle.unref();
  }

  /** The end of the text that Chromium has printed. It is part of the error when Chromium does not start. */
  get lastOutput(): string {
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
