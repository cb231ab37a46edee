import { createHash } from 'node:crypto';

/** A platform that is being restarted is waited for. */
const PATIENCE_MS = 30_000;
const RETRY_MS = 500;

/** Where the platform has what is larger than a frame, by the SHA-256 of its text. */
export type PlatformFolder = 'bundles' | 'locks';

/** It cannot be had; the message says why. */
export class FileUnavailable extends Error {}

/** What a run needs of the platform beside its offer. */
export class PlatformFiles {
  readonly #url: string;
  readonly #key: string;

  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
  }

  /** @throws FileUnavailable; the signal's reason. */
  async text(folder: PlatformFolder, hash: string, signal: AbortSignal): Promise<string> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const { text, problem, final } = await this.#fetch(folder, hash, signal);
      if (text !== undefined) return text;
      signal.throwIfAborted();
      if (final || performance.now() > deadline) {
        throw new FileUnavailable(`The worker could not load ${folder}/${hash} from the platform: ${problem}.`);
      }
      await new Promise(resolve => setTimeout(resolve, RETRY_MS));
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
        signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]),
      });
      if (response.ok) {
        const text = await response.text();
        const isWhole = createHash('sha256').update(text).digest('hex') === hash;
        return isWhole ? { text } : { problem: 'what came does not match its hash' };
      }
      await response.body?.cancel();
      return { problem: `it answered ${response.status}`, final: response.status < 500 && response.status !== 429 };
    } catch (error) {
      const { cause } = error as { cause?: unknown };
      return { problem: String(cause instanceof Error ? cause.message : error) };
    }
  }
}
