import type { Environment } from '../executions.js';

interface SkriptTemplate {
  /** Purpose of the skript, in lower case. */
  does: string;
  environment: Environment;
}

/** Templates of new skripts. Their files are in `packages/cli/templates`. */
export const SKRIPT_TEMPLATES = {
  typescript: { does: 'stores the books of a shelf of the practice shop, typed and tested', environment: 'nodejs' },
  plain: { does: 'echoes a greeting and returns its length', environment: 'nodejs' },
  cheerio: { does: 'downloads a page and reads it with cheerio', environment: 'nodejs' },
  browser: { does: 'opens a page in Chromium with Puppeteer', environment: 'browser' },
  flow: { does: 'steps that can be paused and stopped, with functionflow', environment: 'nodejs' },
} as const satisfies Record<string, SkriptTemplate>;

export type SkriptTemplateName = keyof typeof SKRIPT_TEMPLATES;
