import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { startHelper } from '../process/helper-process.js';
import { PROXY_FOLDER, PROXY_SOCKET } from '../protocol/proxy-protocol.js';
import type { AllowList } from './allow-list.js';
import type { EgressFilter } from './egress.js';
import { MAX_LOOKUPS } from './egress-proxy.js';
import type { ProxyLine } from './proxy-line.js';

const REFRESH_MS = 60_000;
const RESTART_DELAY_MS = 1_000;
/** Number of slots of a worker that uses the proxy: as many as have threads for their lookups. */
export const PROXY_SLOTS = 64;
/**
 * Returns the size of libuv's thread pool in the proxy's process. A name lookup by the C library blocks one thread.
 * libuv uses at most half of its threads for lookups, and it has at most 1,024 threads. With this many threads, the
 * lookups of one run do not delay those of another run.
 */
const threadsFor = (slots: number) => 2 * slots * MAX_LOOKUPS;

export interface ProxyEgressOptions {
  /** Folder of the sockets. */
  folder: string;
  /** Number of slots. */
  slots: number;
  /** Returns the user id of a slot; null when runs have the worker's user id. */
  uidOf: ((slotIndex: number) => number) | null;
  allowList: AllowList;
  log: Logger;
}

/**
 * Filters egress on machines where the worker may not create network namespaces. A sandbox then has only its own loopback
 * network. Through a Unix socket in a folder of the sandbox, a run reaches the worker's proxy, which connects to the
 * allowed addresses.
 */
export class ProxyEgress implements EgressFilter {
  readonly kind = 'proxy';
  readonly #options: ProxyEgressOptions;
  #process: ChildProcess | undefined;
  #refresh: NodeJS.Timeout | undefined;
  #isOpen = false;

  constructor(options: ProxyEgressOptions) {
    this.#options = options;
  }

  async prepare(): Promise<null> {
    return null;
  }

  networkArguments(slotIndex: number): string[] {
    // Mount the socket's folder instead of the socket, because a restarted proxy creates a new socket.
    return ['--unshare-net', '--ro-bind', join(this.#options.folder, String(slotIndex)), PROXY_FOLDER];
  }

  async open(): Promise<void> {
    await this.#options.allowList.refresh();
    this.#isOpen = true;
    try {
      await this.#start();
    } catch (error) {
      this.#isOpen = false;
      throw error;
    }
    this.#refresh = setInterval(() => void this.#refreshAllowed(), REFRESH_MS).unref();
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    clearInterval(this.#refresh);
    const child = this.#process;
    if (child && child.exitCode === null && child.signalCode === null) {
      const exit = once(child, 'exit');
      // Nothing else may keep this process alive until then.
      child.ref();
      child.stdin?.end();
      await exit;
    }
    await rm(this.#options.folder, { recursive: true, force: true });
  }

  async #start(): Promise<void> {
    const { folder, slots, uidOf, allowList, log } = this.#options;
    // Do not remove the folders of the slots when the proxy restarts, because live sandboxes mount them.
    await mkdir(folder, { recursive: true });
    await chmod(folder, 0o711);
    for (let slotIndex = 0; slotIndex < slots; slotIndex += 1) {
      await rm(join(folder, String(slotIndex), PROXY_SOCKET), { force: true });
    }
    const script = fileURLToPath(new URL('./proxy-process.js', import.meta.url));
    const { child, input, ended } = startHelper(process.execPath, [script], {
      cwd: folder,
      env: { UV_THREADPOOL_SIZE: String(threadsFor(slots)) },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#process = child;
    const output = child.stdout as Socket;
    const listening = once(output, 'data');
    const failed = ended.then(reason => {
      throw new Error(`The egress proxy does not listen: ${reason}.`);
    });
    input.write(
      line({
        allowed: allowList.networks,
        slots: Array.from({ length: slots }, (_, slotIndex) => ({
          folder: String(slotIndex),
          uid: uidOf?.(slotIndex) ?? null,
        })),
      }),
    );
    await Promise.race([listening, failed]);
    for (const handle of [child, input, output]) handle.unref();
    void ended.then(reason => {
      if (!this.#isOpen) return;
      log.error({ reason }, 'egress proxy lost; runs have no network until it restarts');
      setTimeout(() => void this.#restart(), RESTART_DELAY_MS).unref();
    });
  }

  async #restart(): Promise<void> {
    if (!this.#isOpen) return;
    await this.#start().catch(error => {
      this.#options.log.error({ reason: String(error) }, 'egress proxy restart failed');
      setTimeout(() => void this.#restart(), RESTART_DELAY_MS).unref();
    });
  }

  async #refreshAllowed(): Promise<void> {
    await this.#options.allowList.refresh();
    if (this.#process?.stdin?.writable) this.#process.stdin.write(line({ allowed: this.#options.allowList.networks }));
  }
}

const line = (content: ProxyLine): string => `${JSON.stringify(content)}\n`;
