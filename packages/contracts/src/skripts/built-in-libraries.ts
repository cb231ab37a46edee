/**
 * Libraries that every run can `require` without installing them. The worker's runtime contains each of them.
 * See docs/decisions/0099-older-skripts.md.
 */
export const BUILT_IN_LIBRARIES = [
  '@trawl/echo',
  '@trawl/functionflow',
  '@trawl/httpclient',
  '@trawl/storage',
  'axios',
  'cheerio',
  'csv-parse',
  'csv-stringify',
  'got',
  'puppeteer',
  'puppeteer-core',
] as const;

/** Names of libraries that older skripts require. They are built in too, but new skripts should not use them. */
export const OLDER_LIBRARIES = [
  '@mikosoft/echo',
  '@mikosoft/functionflow',
  '@mikosoft/httpclient-pptr',
  'echoer',
  'functionflowx',
  'pptr-plus',
] as const;

/**
 * Libraries that those of older skripts depend on. Older skripts require them without an entry in package.json. An entry
 * replaces them by the version that it asks for.
 */
export const OLDER_DEPENDENCIES = ['chalk', 'fs-extra', 'moment'] as const;

/** Libraries that every run has, whatever package.json says. */
export const LIBRARIES_OF_RUNS: readonly string[] = [...BUILT_IN_LIBRARIES, ...OLDER_LIBRARIES, ...OLDER_DEPENDENCIES];

/**
 * Libraries that need a browser, also some that come from the registry. A skript that requires one of them runs in the
 * environment `browser`.
 */
export const BROWSER_LIBRARIES: readonly string[] = [
  '@crawlee/playwright',
  '@crawlee/puppeteer',
  '@mikosoft/httpclient-pptr',
  'playwright',
  'playwright-core',
  'playwright-extra',
  'pptr-plus',
  'puppeteer',
  'puppeteer-core',
  'puppeteer-extra',
];

/** Matches the names of crawlers with a browser. The library `crawlee` also has crawlers without one. */
const BROWSER_CRAWLERS = /\b(?:Puppeteer|Playwright)Crawler\b/;

/**
 * Returns whether code that requires this module of the library `crawlee` needs a browser.
 *
 * @param code of the file with the import
 */
export const usesBrowserCrawler = (module: string, code: string): boolean =>
  module === 'crawlee' && BROWSER_CRAWLERS.test(code);

/**
 * Libraries that only the worker can provide, so package.json cannot replace them. The registry is never asked for
 * them: a stranger may have registered the name.
 */
export const LIBRARIES_OF_WORKER: readonly string[] = [
  ...BUILT_IN_LIBRARIES.filter(name => /^(?:@trawl\/.+|puppeteer|puppeteer-core)$/.test(name)),
  ...OLDER_LIBRARIES,
];

const OLDER_HTTP_CLIENT = '@mikosoft/httpclient-pptr';
/** Matches a range of major version 2, such as `^2.1.0`. */
const MAJOR_2 = /^[\^~=v\s]*2(?!\d)/;

/** Matches a dependency under another name, such as `npm:echoer@^1.0.0`. */
const OTHER_NAME = /^\s*npm:(@?[^@]+)(?:@(.*))?$/s;

/**
 * Returns the library of the worker that an entry of `dependencies` names, by its name or as `npm:name@range`; null if
 * the library comes from the registry.
 */
export function libraryOfWorker(name: string, range: unknown): { library: string; range: string } | null {
  if (LIBRARIES_OF_WORKER.includes(name)) return { library: name, range: String(range) };
  const [, library = '', libraryRange = ''] = OTHER_NAME.exec(String(range)) ?? [];
  return LIBRARIES_OF_WORKER.includes(library) ? { library, range: libraryRange } : null;
}

/**
 * Maps names of libraries to the modules that a bundle requires instead: names that package.json gives to a library of
 * the worker, and the older HTTP client, of which a run has two major versions.
 *
 * @param dependencies of the skript's package.json
 */
export function libraryAliases(dependencies: Record<string, unknown>): Record<string, string> {
  const aliases = Object.entries(dependencies).flatMap(([name, value]) => {
    const { library = name, range = '' } = libraryOfWorker(name, value) ?? {};
    const module = library === OLDER_HTTP_CLIENT && MAJOR_2.test(range) ? `${library}/v2` : library;
    return module === name ? [] : [[name, module] as const];
  });
  return Object.fromEntries(aliases);
}
