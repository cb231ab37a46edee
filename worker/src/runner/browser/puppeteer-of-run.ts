/**
 * Name of the global property with the exports of `puppeteer` and `puppeteer-core`. These two modules of the runtime
 * read their exports from it.
 */
export const PUPPETEER = Symbol.for('trawl.puppeteer');

/** Returns the exports of `puppeteer` and `puppeteer-core` in this process; undefined without a browser. */
export const puppeteerOfRun = (): unknown => (globalThis as Record<symbol, unknown>)[PUPPETEER];

const LIBRARY = /^puppeteer(?:-core)?(\/DeviceDescriptors(?:\.js)?)?$/;

/** Returns what a skript gets that requires this name; undefined if it is not Puppeteer, and without a browser. */
export function puppeteerModule(name: string): unknown {
  const found = LIBRARY.exec(name);
  const puppeteer = found && (puppeteerOfRun() as { devices: unknown } | undefined);
  // Older versions had the list of devices in a file of its own.
  return found?.[1] ? puppeteer?.devices : (puppeteer ?? undefined);
}
