import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { placeDataDir } from '@trawl/embedded';
import { Child } from './child.js';
import type { Api } from './platform-client.js';
import { temporaryFolder } from './temporary-folder.js';

/**
 * With this setting the worker finds no Chromium. Testing Chromium and starting a browser in advance take most of the
 * time of a worker's start.
 */
const WITHOUT_BROWSER = { CHROME_PATH: '/bin/false' };
/** With this setting the worker looks for a Chromium, as it does by default. */
export const WITH_BROWSER = { CHROME_PATH: '' };

/** A worker in a process or container of its own, with a data folder of its own, registered at a platform. */
export class WorkerProcess {
  readonly #child: Child;
  readonly #temporary: string;

  private constructor(
    readonly id: string,
    readonly key: string,
    private readonly admin: Api,
    env: Record<string, string>,
  ) {
    this.#temporary = temporaryFolder('trawl-worker-');
    this.dataDir = placeDataDir(this.#temporary).dataDir;
    this.#child = new Child('worker/dist/main.js', {
      TRAWL_DATA_DIR: this.dataDir,
      TRAWL_WORKER_KEY: key,
      // By default, each worker has slots for all of its memory, and starts a process for each slot in advance.
      TRAWL_SLOTS: '4',
      // A worker restarts with a Chromium that it has downloaded.
      TRAWL_FETCH_CHROMIUM: '0',
      ...WITHOUT_BROWSER,
      ...env,
    });
  }

  /** Data folder of the worker. The worker keeps its files in the subfolder `worker`. */
  readonly dataDir: string;

  /**
   * Registers a worker and starts its process.
   *
   * @param admin calls the platform as its administrator
   * @param registration the worker's name, and whether it is public
   * @param env settings of the worker, at least TRAWL_URL
   */
  static async start(
    admin: Api,
    registration: { name: string; public: boolean },
    env: Record<string, string>,
  ): Promise<WorkerProcess> {
    const { status, body } = await admin('POST', '/joint-api/workers/addnew', registration);
    if (status !== 201) throw new Error(`The worker was not registered: ${JSON.stringify(body)}`);
    const worker = new WorkerProcess(body.id, body.key, admin, env);
    await worker.start();
    return worker;
  }

  /** Starts the process, for the first time or after `kill`. Resolves when the platform shows the worker as online. */
  start(): Promise<void> {
    return this.#child.start(
      async () => (await this.admin('GET', `/joint-api/workers/${this.id}`)).body.status === 'online',
    );
  }

  /** Starts the process. Does not wait until the worker is online, because the platform may be down. */
  launch(): Promise<void> {
    return this.#child.start(async () => true);
  }

  kill(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    return this.#child.kill(signal);
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child.signal(signal);
  }

  /** Lists the folders of runs whose results the worker has not yet sent to the platform. */
  undelivered(): Promise<string[]> {
    return this.#child.list(join('worker', 'runs'));
  }

  /** The last part of what the process has logged. */
  get log(): string {
    return this.#child.log;
  }

  /** A text that says how the process ended; null while it runs. */
  get end(): string | null {
    return this.#child.end;
  }

  async close(): Promise<void> {
    await this.kill('SIGTERM');
    for (const folder of [this.dataDir, this.#temporary]) rmSync(folder, { recursive: true, force: true });
  }
}
