/** Under this name the modules `puppeteer` and `puppeteer-core` of the runtime find what they are in this process. */
export const PUPPETEER = Symbol.for('trawl.puppeteer');

/** What `puppeteer` and `puppeteer-core` are in this process; undefined without a browser. */
export const puppeteerOfRun = (): unknown => (globalThis as Record<symbol, unknown>)[PUPPETEER];
