import { readFileSync } from 'node:fs';
import type { Config } from '../../platform/common/config.js';
import { inlineScriptHashes } from './inline-scripts.js';
import { prepareWebsite } from './prepare-website.js';

/** What `npm start` writes about a build of the website (`scripts/common/website-state.mjs`); `{}` before it begins. */
export interface WebsiteBuild {
  step?: number;
  steps?: number;
  text?: string;
  failed?: boolean;
}

type Settings = Parameters<typeof prepareWebsite>[0] & Pick<Config, 'websiteState'>;

/** The website that visitors get now. */
export interface ServedWebsite {
  /** The folder of the website, perhaps of an older build; null if there is no build yet. */
  dir: string | null;
  /** Hashes of the inline scripts in its pages. */
  scripts: string[];
  /** How far `npm start` is with a newer build; null if it has none to do. */
  build: WebsiteBuild | null;
}

/** The website that visitors get. `npm start` may build a newer one while the backend runs. */
export class Website {
  #build: WebsiteBuild | null;
  /** Undefined if preparing the folder has failed. */
  #prepared: Promise<Pick<ServedWebsite, 'dir' | 'scripts'>> | undefined;

  constructor(private readonly settings: Settings) {
    this.#build = readBuild(settings.websiteState);
    // The first visitor waits for it, and sees the error if it fails. The start of the backend does not wait.
    this.#prepare().catch(() => {});
  }

  /** Looks what there is to serve now. */
  async look(): Promise<ServedWebsite> {
    if (this.#build !== null) {
      this.#build = readBuild(this.settings.websiteState);
      if (this.#build === null) this.#prepared = undefined;
    }
    return { ...(await (this.#prepared ?? this.#prepare())), build: this.#build };
  }

  #prepare(): Promise<Pick<ServedWebsite, 'dir' | 'scripts'>> {
    const prepared = prepare(this.settings);
    this.#prepared = prepared;
    prepared.catch(() => {
      if (this.#prepared === prepared) this.#prepared = undefined;
    });
    return prepared;
  }
}

async function prepare(settings: Settings) {
  const dir = await prepareWebsite(settings);
  return { dir, scripts: dir === null ? [] : await inlineScriptHashes(dir) };
}

function readBuild(path: string): WebsiteBuild | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
