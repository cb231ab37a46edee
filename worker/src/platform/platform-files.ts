import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

/** How long a download is retried while the platform is unreachable. A restart of the platform takes less time. */
const MAX_WAIT_MS = 30_000;
const RETRY_MS = 500;

/** The platform's folders of files, each named by the SHA-256 of its text. */
export type PlatformFolder = 'bundles' | 'locks';

/** Error: the platform does not provide the file. The message says why. */
export class FileUnavailable extends Error {}

/** Downloads files that a run needs and that are too large for its offer. */
export class PlatformFiles {
  readonly #url: string;
  #key: string;

  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
  }

  /** Uses this key for the next downloads. */
  useKey(key: string): void {
    this.#key = key;
  }

  /**
   * Downloads a file, and retries while the platform is unreachable.
   *
   * @throws FileUnavailable if the platform does not provide the file; the signal's reason if the signal is aborted
   */
  async text(folder: PlatformFolder, hash: string, signal: AbortSignal): Promise<string> {
    const deadline = performance.now() + MAX_WAIT_MS;
    for (;;) {
      const { text, problem, final } = await this.#fetch(folder, hash, signal);
      if (text !== undefined) return text;
      signal.throwIfAborted();
      if (final || performance.now() > deadline) {
        throw new FileUnavailable(`The worker could not load ${folder}/${hash} from the platform: ${problem}.`);
      }
      await delay(RETRY_MS);
    }
  }

  async #fetch(
    folder: PlatformFolder,
    hash: string,
    signal: AbortSignal,
  ): Promise<{ text?: string; problem?: string; final?: boolean }> {
    try {
      const response = await fetch(`${this.#url}/worker-api/${folder}/${encodeURIComponent(hash)}`, {
        headers: { authorization: `Bearer ${this.#key}` },
        signal: AbortSignal.any([signal, AbortSignal.timeout(MAX_WAIT_MS)]),
      });
      if (response.ok) {
        const text = await response.text();
        const isWhole = createHash('sha256').update(text).digest('hex') === hash;
        return isWhole ? { text } : { problem: 'the content does not match its hash' };
      }
      await response.body?.cancel();
      return { problem: `it answered ${response.status}`, final: response.status < 500 && response.status !== 429 };
    } catch (error) {
      const { cause } = error as { cause?: unknown };
      return { problem: String(cause instanceof Error ? cause.message : error) };
    }
  }
}
