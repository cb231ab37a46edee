import { statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { fetchDebianChromium } from './debian-chromium.js';
import { compareVersions } from './found-chromium.js';

const LOOKED_FILE = 'debian-chromium-looked';
/** Debian has a new Chromium about once a week. */
const LOOK_AGAIN_MS = 7 * 24 * 60 * 60_000;
const CHECK_MS = 6 * 60 * 60_000;
const IDLE_CHECK_MS = 5_000;

export interface UpdatesOptions {
  cache: string;
  /** Version of the Chromium that the worker uses; null if it has none. */
  version: string | null;
  /** Whether the worker has no run. */
  isIdle: () => boolean;
  /** Called when a newer Chromium is in the cache and the worker is idle. */
  onNewer: () => void;
  log: Logger;
}

/**
 * Downloads Debian's newest Chromium into the cache once a week, in the background. The machine's workers share the
 * cache and the time of the last download. Without apt or network, the worker keeps the Chromium that it has.
 */
export class ChromiumUpdates {
  readonly #options: UpdatesOptions;
  #timer: NodeJS.Timeout | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #lastProblem = '';

  constructor(options: UpdatesOptions) {
    this.#options = options;
  }

  open(): void {
    this.#timer = setInterval(() => void this.look(), CHECK_MS).unref();
    void this.look();
  }

  close(): void {
    clearInterval(this.#timer);
    clearInterval(this.#idleTimer);
  }

  /** Looks for a newer Chromium if that is due. Never rejects. */
  async look(): Promise<void> {
    const { cache, version, log } = this.#options;
    const marker = join(cache, LOOKED_FILE);
    if (Date.now() - timeOf(marker) < LOOK_AGAIN_MS) return;
    try {
      log.info({ used: version }, "looking for a newer Chromium in Debian's archive (about 100 MB)");
      const newest = await fetchDebianChromium(cache);
      await writeFile(marker, '');
      if (compareVersions(newest, version) <= 0) return;
      log.info({ used: version, newest }, 'downloaded a newer Chromium; the worker restarts when it has no run');
      this.#whenIdle();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (reason !== this.#lastProblem)
        log.warn({ reason, used: version }, "no Chromium from Debian's archive; install one, or set CHROME_PATH");
      this.#lastProblem = reason;
    }
  }

  #whenIdle(): void {
    clearInterval(this.#idleTimer);
    this.#idleTimer = setInterval(() => {
      if (!this.#options.isIdle()) return;
      clearInterval(this.#idleTimer);
      this.#options.onNewer();
    }, IDLE_CHECK_MS).unref();
  }
}

function timeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
