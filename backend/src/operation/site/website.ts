import { readFileSync } from 'node:fs';
import type { Config } from '../../platform/common/config.js';
import { prepareWebsite } from './prepare-website.js';

/** What `npm start` writes about a build of the website (`scripts/common/website-state.mjs`); `{}` before it begins. */
export interface WebsiteBuild {
  step?: number;
  steps?: number;
  text?: string;
  failed?: boolean;
}

type Settings = Parameters<typeof prepareWebsite>[0] & Pick<Config, 'websiteState'>;

/** What visitors get. */
export interface ServedWebsite {
  /** The folder of the website, perhaps of an older build; null if there is no build yet. */
  dir: string | null;
  /** How far `npm start` is with a newer build; null if it has none to do. */
  build: WebsiteBuild | null;
}

/** The website that visitors get. `npm start` may build a newer one while the backend runs. */
export class Website {
  #build: WebsiteBuild | null;
  /** Resolves to the folder. Undefined if preparing it has failed. */
  #folder: Promise<string | null> | undefined;

  constructor(private readonly settings: Settings) {
    this.#build = readBuild(settings.websiteState);
    // Whoever visits first waits for it, and sees the error if it fails. The start of the backend does not wait.
    this.#prepare().catch(() => {});
  }

  /** Looks what there is to serve now. */
  async look(): Promise<ServedWebsite> {
    if (this.#build !== null) {
      this.#build = readBuild(this.settings.websiteState);
      if (this.#build === null) this.#folder = undefined;
    }
    return { dir: await (this.#folder ?? this.#prepare()), build: this.#build };
  }

  #prepare(): Promise<string | null> {
    const folder = prepareWebsite(this.settings);
    this.#folder = folder;
    folder.catch(() => {
      if (this.#folder === folder) this.#folder = undefined;
    });
    return folder;
  }
}

function readBuild(path: string): WebsiteBuild | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
