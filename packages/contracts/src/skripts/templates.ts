import type { Environment } from '../executions.js';

interface SkriptTemplate {
  /** Purpose of the skript, in lower case. */
  does: string;
  environment: Environment;
}

/** Templates of new skripts. Their files are in `packages/cli/templates`. */
export const SKRIPT_TEMPLATES = {
  typescript: { does: 'stores the books of a shelf of the practice shop, typed and tested', environment: 'nodejs' },
  plain: { does: 'echoes a greeting and stores it', environment: 'nodejs' },
  cheerio: { does: 'stores the links of a page, which it reads with cheerio', environment: 'nodejs' },
  browser: { does: 'stores the title of a page, which it opens in Chromium with Puppeteer', environment: 'browser' },
  crawlee: {
    does: 'stores the products of the practice shop, whose links a crawler of Crawlee follows',
    environment: 'nodejs',
  },
  flow: { does: 'stores a row for each page, in steps that can be paused and stopped', environment: 'nodejs' },
} as const satisfies Record<string, SkriptTemplate>;

export type SkriptTemplateName = keyof typeof SKRIPT_TEMPLATES;
