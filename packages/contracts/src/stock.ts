/** Libraries that every run may `require` without installing anything. The worker bundles each into its runtime. */
export const STOCK_LIBRARIES = [
  '@trawl/echo',
  '@trawl/storage',
  'axios',
  'cheerio',
  'csv-parse',
  'csv-stringify',
  'got',
  'puppeteer',
  'puppeteer-core',
] as const;
