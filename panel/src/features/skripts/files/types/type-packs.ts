/** Texts of declaration files by their path. `panel/library-types.ts` makes them when the panel is built. */
export type TypePack = Record<string, string>;

export type PackName = 'language' | 'node' | 'trawl' | 'puppeteer' | 'cheerio' | 'axios' | 'got' | 'csv';

const PACK_OF_LIBRARY: Record<string, PackName> = {
  axios: 'axios',
  cheerio: 'cheerio',
  'csv-parse': 'csv',
  'csv-stringify': 'csv',
  got: 'got',
  puppeteer: 'puppeteer',
  'puppeteer-core': 'puppeteer',
};

const NODE_MODULE =
  /^(?:node:.+|assert|buffer|child_process|crypto|dns|events|fs|http|https|net|os|path|process|stream|timers|url|util|zlib)(?:\/\w+)?$/;
/** Names that only Node has, and libraries whose types use Node's. */
const USES_NODE =
  /\b(?:process|Buffer|__dirname|__filename|setImmediate|global)\b|\btrawl\.eventEmitter\b|['"](?:got|axios|csv-(?:parse|stringify)(?:\/sync)?)['"]/;

/** Returns the packs that a file needs which imports these modules. */
export function packsFor(text: string, modules: readonly string[]): PackName[] {
  const packs = new Set<PackName>(['language', 'trawl']);
  if (USES_NODE.test(text) || modules.some(name => NODE_MODULE.test(name))) packs.add('node');
  for (const name of modules) {
    const pack = PACK_OF_LIBRARY[name.split('/')[0] ?? ''];
    if (pack) packs.add(pack);
  }
  return [...packs];
}
