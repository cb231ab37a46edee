import type { Environment } from '../executions.js';

interface SkriptTemplate {
  /** Purpose of the skript, in lower case. */
  does: string;
  environment: Environment;
}

/** Templates of new skripts. Their files are in `packages/cli/templates`. */
export const SKRIPT_TEMPLATES = {
  typescript: {
    does: 'stores the books of one shelf of the practice shop, with types and a test',
    environment: 'nodejs',
  },
  plain: { does: 'echoes a greeting and stores it', environment: 'nodejs' },
  cheerio: { does: 'reads a page with cheerio and stores its links', environment: 'nodejs' },
  browser: { does: 'opens a page in Chromium with Puppeteer and stores its title', environment: 'browser' },
  crawlee: {
    does: 'follows the links of the practice shop with Crawlee and stores the products',
    environment: 'nodejs',
  },
  flow: { does: 'stores a row for each page, in steps that you can pause and stop', environment: 'nodejs' },
} as const satisfies Record<string, SkriptTemplate>;

export type SkriptTemplateName = keyof typeof SKRIPT_TEMPLATES;
