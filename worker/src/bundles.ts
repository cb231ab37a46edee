import { LRUCache } from 'lru-cache';
import type { PlatformFiles } from './platform-files.js';

const CACHE_BYTES = 64 * 1024 * 1024;

/** Bundles by their hash, as JSON text of their code, ready to be put into a run's start command. */
export class Bundles {
  readonly #files: PlatformFiles;
  readonly #cache = new LRUCache<string, string>({ maxSize: CACHE_BYTES, sizeCalculation: json => json.length });

  constructor(files: PlatformFiles) {
    this.#files = files;
  }

  /** @throws FileUnavailable */
  async jsonOf(hash: string, signal: AbortSignal): Promise<string> {
    const cached = this.#cache.get(hash);
    if (cached !== undefined) return cached;
    const json = JSON.stringify(await this.#files.text('bundles', hash, signal));
    this.#cache.set(hash, json);
    return json;
  }
}
