import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

const CACHE_BYTES = 64 * 1024 * 1024;
/** A platform that is being restarted is waited for. */
const PATIENCE_MS = 30_000;
const RETRY_MS = 500;

/** The bundle cannot be had; the message says why. */
export class BundleUnavailable extends Error {}

/** Bundles by their hash, as JSON text of their code, ready to be put into a run's start command. */
export class Bundles {
  readonly #url: string;
  readonly #key: string;
  readonly #cache = new LRUCache<string, string>({ maxSize: CACHE_BYTES, sizeCalculation: json => json.length });

  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
  }

  /** @throws BundleUnavailable */
  async jsonOf(hash: string, signal: AbortSignal): Promise<string> {
    const cached = this.#cache.get(hash);
    if (cached !== undefined) return cached;
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const { code, problem, final } = await this.#fetch(hash, signal);
      if (code !== undefined) {
        const json = JSON.stringify(code);
        this.#cache.set(hash, json);
        return json;
      }
      signal.throwIfAborted();
      if (final || Date.now() > deadline) {
        throw new BundleUnavailable(`The worker could not load the bundle ${hash} from the platform: ${problem}.`);
      }
      await new Promise(resolve => setTimeout(resolve, RETRY_MS));
    }
  }

  async #fetch(hash: string, signal: AbortSignal): Promise<{ code?: string; problem?: string; final?: boolean }> {
    try {
      const response = await fetch(`${this.#url}/worker-api/bundles/${encodeURIComponent(hash)}`, {
        headers: { authorization: `Bearer ${this.#key}` },
        signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]),
      });
      if (response.ok) {
        const code = await response.text();
        const isWhole = createHash('sha256').update(code).digest('hex') === hash;
        return isWhole ? { code } : { problem: 'what came does not match its hash' };
      }
      await response.body?.cancel();
      return { problem: `it answered ${response.status}`, final: response.status < 500 && response.status !== 429 };
    } catch (error) {
      const { cause } = error as { cause?: unknown };
      return { problem: String(cause instanceof Error ? cause.message : error) };
    }
  }
}
