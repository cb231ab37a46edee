import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import type { AllowList } from './allow-list.js';
import type { Egress } from './egress.js';
import { MAX_LOOKUPS } from './egress-proxy.js';
import type { ProxyLine } from './proxy-line.js';
import { PROXY_FOLDER } from './proxy-protocol.js';

const REFRESH_MS = 60_000;
const AGAIN_MS = 1_000;
/**
 * Names are looked up by the C library, which holds a thread for each as long as that takes. Of its threads libuv gives
 * half to such work, and has 1,024 at most. With so many, no run waits for names that others ask for.
 */
const threadsFor = (places: number) => 2 * places * MAX_LOOKUPS;

export interface ProxyEgressOptions {
  /** The worker's own, which it makes anew. */
  folder: string;
  places: number;
  /** The user id of each place; null where runs have the worker's. */
  uidOf: ((place: number) => number) | null;
  allowList: AllowList;
  log: Logger;
}

/**
 * For where the worker may set no rules of the kernel: a sandbox has no network but its own loopback, and a socket in a
 * folder of it through which the worker's proxy connects it with what it may reach.
 */
export class ProxyEgress implements Egress {
  readonly how = 'proxy';
  readonly sharesHostNetwork = false;
  readonly #options: ProxyEgressOptions;
  #process: ChildProcess | undefined;
  #refresh: NodeJS.Timeout | undefined;
  #isOpen = false;

  constructor(options: ProxyEgressOptions) {
    this.#options = options;
  }

  networkArguments(place: number): string[] {
    // The folder, not the socket: a proxy that was started again makes another socket.
    return ['--unshare-net', '--ro-bind', join(this.#options.folder, String(place)), PROXY_FOLDER];
  }

  async open(): Promise<void> {
    await this.#options.allowList.refresh();
    this.#isOpen = true;
    try {
      await this.#begin();
    } catch (error) {
      this.#isOpen = false;
      throw error;
    }
    this.#refresh = setInterval(() => void this.#adopt(), REFRESH_MS).unref();
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    clearInterval(this.#refresh);
    const child = this.#process;
    if (child && child.exitCode === null && child.signalCode === null) {
      child.stdin?.end();
      await once(child, 'exit');
    }
    await rm(this.#options.folder, { recursive: true, force: true });
  }

  async #begin(): Promise<void> {
    const { folder, places, uidOf, allowList, log } = this.#options;
    // The folders of places stay: sandboxes that are there have them.
    await mkdir(folder, { recursive: true });
    await chmod(folder, 0o711);
    for (let place = 0; place < places; place += 1) {
      await rm(join(folder, String(place), 'proxy'), { force: true });
    }
    const child = spawn(process.execPath, [fileURLToPath(new URL('./proxy-process.js', import.meta.url))], {
      cwd: folder,
      env: { UV_THREADPOOL_SIZE: String(threadsFor(places)) },
      detached: true,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#process = child;
    child.stdin?.on('error', () => {}); // its exit says so
    const listening = once(child.stdout as Readable, 'data');
    const ended = once(child, 'exit').then(([code, signal]) => {
      throw new Error(`the proxy of runs ended with ${signal ?? code}`);
    });
    (child.stdin as Writable).write(
      line({
        allowed: allowList.networks,
        places: Array.from({ length: places }, (_, place) => ({
          folder: String(place),
          uid: uidOf?.(place) ?? null,
        })),
      }),
    );
    await Promise.race([listening, ended]);
    child.unref();
    for (const pipe of [child.stdin, child.stdout]) (pipe as { unref?: () => void } | null)?.unref?.();
    ended.catch(error => {
      if (!this.#isOpen) return;
      log.error({ reason: String(error) }, 'runs reach nothing until their proxy is started again');
      setTimeout(() => void this.#again(), AGAIN_MS).unref();
    });
  }

  async #again(): Promise<void> {
    if (!this.#isOpen) return;
    await this.#begin().catch(error => {
      this.#options.log.error({ reason: String(error) }, 'the proxy of runs could not be started again');
      setTimeout(() => void this.#again(), AGAIN_MS).unref();
    });
  }

  async #adopt(): Promise<void> {
    await this.#options.allowList.refresh();
    if (this.#process?.stdin?.writable) this.#process.stdin.write(line({ allowed: this.#options.allowList.networks }));
  }
}

const line = (content: ProxyLine): string => `${JSON.stringify(content)}\n`;
