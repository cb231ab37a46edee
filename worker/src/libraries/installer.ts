import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { NpmError, type Written } from '@trawl/libraries';
import type { Logger } from 'pino';
import { startHelper } from '../process/helper-process.js';
import type { FromInstaller, InstallRequest, ToInstaller } from './installer-messages.js';

/**
 * Path of the compiled program. It is in `dist` even if a test loads this file from `src`, because Node cannot run the
 * source.
 */
const PROGRAM = fileURLToPath(new URL('../../dist/libraries/installer-process.js', import.meta.url));
/** The installer gets only these environment variables: what npm needs, and the network settings of the machine. */
const INHERITED_VARIABLES = /^(?:PATH|HOME|npm_config_.*|https?_proxy|no_proxy|proxy|node_extra_ca_certs)$/i;

/** Error: the installer ended before it answered. A repetition gets another one. */
export class InstallerLost extends Error {}

interface Task {
  resolve(written: Written | null): void;
  reject(error: Error): void;
  onSlow(): void;
}

/** Starts the process that installs and removes libraries when it is needed, and passes tasks to it. */
export class Installer {
  readonly #log: Logger;
  readonly #tasks = new Map<number, Task>();
  #entries: () => string[] = () => [];
  #child: ChildProcess | undefined;
  #last = 0;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** @param entries returns the files of the kernel to which the pid of the process is written, so that cgroups limit it */
  confineBy(entries: () => string[]): void {
    this.#entries = entries;
    if (this.#child) this.#confine(this.#child);
  }

  /**
   * Installs a lock.
   *
   * @param onSlow see `NpmOptions`
   *
   * @throws NpmError; InstallerLost; the signal's reason if the signal is aborted
   */
  async install(
    request: InstallRequest,
    { signal, onSlow }: { signal: AbortSignal; onSlow: () => void },
  ): Promise<Written> {
    signal.throwIfAborted();
    const n = this.#next();
    const abort = () => this.#send({ t: 'abort', n });
    signal.addEventListener('abort', abort);
    try {
      return (await this.#run({ t: 'install', n, ...request }, onSlow)) as Written;
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  /** Removes a folder. Never rejects: what stays is removed at the next start of the worker. */
  async remove(folder: string): Promise<void> {
    try {
      await this.#run({ t: 'remove', n: this.#next(), folder });
    } catch (error) {
      this.#log.warn({ folder, reason: String(error) }, 'failed to remove a folder of libraries');
    }
  }

  #next(): number {
    this.#last += 1;
    return this.#last;
  }

  #run(message: Exclude<ToInstaller, { t: 'abort' }>, onSlow = () => {}): Promise<Written | null> {
    this.#child ??= this.#start();
    return new Promise((resolve, reject) => {
      this.#tasks.set(message.n, { resolve, reject, onSlow });
      this.#ref();
      this.#send(message);
    });
  }

  #send(message: ToInstaller): void {
    // Ignore errors of sending: `#lost` handles the end of the installer.
    this.#child?.send(message, () => {});
  }

  #start(): ChildProcess {
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => INHERITED_VARIABLES.test(name)));
    const { child, input, ended } = startHelper(process.execPath, ['--max-old-space-size=256', PROGRAM], {
      cwd: '/',
      env,
      stdio: ['pipe', 'ignore', 'inherit', 'ipc'],
    });
    input.unref();
    child.on('message', message => this.#receive(message as FromInstaller));
    void ended.then(reason => this.#lost(child, reason));
    this.#confine(child);
    return child;
  }

  #confine({ pid }: ChildProcess): void {
    if (pid === undefined) return;
    try {
      for (const file of this.#entries()) writeFileSync(file, String(pid));
    } catch (error) {
      this.#log.warn({ reason: String(error) }, 'the kernel does not limit the installation of libraries');
    }
  }

  #receive(message: FromInstaller): void {
    const task = this.#tasks.get(message.n);
    if (message.t === 'slow') {
      task?.onSlow();
      return;
    }
    this.#tasks.delete(message.n);
    this.#ref();
    if (message.t === 'done') task?.resolve(message.written);
    else task?.reject(message.failure ? new NpmError(message.failure) : new Error(message.text));
  }

  #lost(child: ChildProcess, reason: string): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    this.#log.warn({ reason, tasks: this.#tasks.size }, 'installer of libraries ended');
    for (const { reject } of this.#tasks.values()) reject(new InstallerLost(reason));
    this.#tasks.clear();
  }

  /** Sets whether the installer keeps the worker's event loop alive: it does so only while it has tasks. */
  #ref(): void {
    for (const handle of [this.#child, this.#child?.channel]) this.#tasks.size > 0 ? handle?.ref() : handle?.unref();
  }
}
