import { statfs } from 'node:fs/promises';
import type { Logger } from 'pino';

const CHECK_MS = 60_000;

export interface DiskState {
  free: number;
  total: number;
}

/** Watches the disk of the worker's folder, and logs when little space is left. */
export class DiskSpace {
  #state: DiskState | null = null;
  #isLow = false;
  readonly #timer: NodeJS.Timeout;

  private constructor(
    private readonly folder: string,
    private readonly warnBytes: number,
    private readonly log: Logger,
  ) {
    this.#timer = setInterval(() => void this.#check(), CHECK_MS).unref();
  }

  static async watch(folder: string, warnBytes: number, log: Logger): Promise<DiskSpace> {
    const space = new DiskSpace(folder, warnBytes, log);
    await space.#check();
    return space;
  }

  /** The free and total bytes at the last check; null if they could not be read. */
  get state(): DiskState | null {
    return this.#state;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #check(): Promise<void> {
    const { folder, log } = this;
    try {
      const { bavail, blocks, bsize } = await statfs(folder);
      this.#state = { free: bavail * bsize, total: blocks * bsize };
    } catch (error) {
      this.#state = null;
      log.warn({ folder, reason: String(error) }, 'failed to read the free disk space');
      return;
    }
    const { free, total } = this.#state;
    const isLow = free < this.warnBytes;
    const facts = { folder, free_bytes: free, total_bytes: total };
    if (isLow && !this.#isLow)
      log.warn(facts, 'little disk space left; free some, or move the data folder to a larger disk');
    if (!isLow && this.#isLow) log.info(facts, 'enough disk space again');
    this.#isLow = isLow;
  }
}
