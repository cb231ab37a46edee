/**
 * Name of the global property with the exports of `puppeteer` and `puppeteer-core`. These two modules of the runtime
 * read their exports from it.
 */
export const PUPPETEER = Symbol.for('trawl.puppeteer');

/** Returns the exports of `puppeteer` and `puppeteer-core` in this process; undefined without a browser. */
export const puppeteerOfRun = (): unknown => (globalThis as Record<symbol, unknown>)[PUPPETEER];
