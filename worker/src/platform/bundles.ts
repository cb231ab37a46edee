import { type BundleParts, type RunNode, splitBundle } from '@trawl/contracts';
import { LRUCache } from 'lru-cache';
import type { PlatformFiles } from './platform-files.js';

const CACHE_BYTES = 64 * 1024 * 1024;

/** The parts of a bundle as JSON text, so that they can be put into a run's start command without a conversion. */
export interface BundleJson {
  codeJson: string;
  filesJson: string;
  /** The version of Node that runs the bundle. */
  node: RunNode;
}

/** Caches bundles by their hash. */
export class Bundles {
  readonly #files: PlatformFiles;
  readonly #cache = new LRUCache<string, BundleJson>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ codeJson, filesJson }) => codeJson.length + filesJson.length,
  });

  constructor(files: PlatformFiles) {
    this.#files = files;
  }

  /** @throws FileUnavailable */
  async jsonOf(hash: string, signal: AbortSignal): Promise<BundleJson> {
    const cached = this.#cache.get(hash);
    if (cached !== undefined) return cached;
    const { code, filesJson, node }: BundleParts = splitBundle(await this.#files.text('bundles', hash, signal));
    const bundle = { codeJson: JSON.stringify(code), filesJson, node };
    this.#cache.set(hash, bundle);
    return bundle;
  }
}
