/** Texts of declaration files by their path. `collect-types.ts` makes them when a program is built that has them. */
export type TypePack = Record<string, string>;

/** Names of all packs. A pack has the types of a library, or of several that belong together. */
export const PACKS = ['language', 'node', 'trawl', 'older', 'puppeteer', 'cheerio', 'axios', 'got', 'csv'] as const;

export type PackName = (typeof PACKS)[number];

/** By the name of a library, or by the scope of its name. */
const PACK_OF_LIBRARY: Record<string, PackName> = {
  '@mikosoft': 'older',
  axios: 'axios',
  chalk: 'older',
  cheerio: 'cheerio',
  'csv-parse': 'csv',
  'csv-stringify': 'csv',
  echoer: 'older',
  'fs-extra': 'older',
  functionflowx: 'older',
  got: 'got',
  moment: 'older',
  'pptr-plus': 'older',
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
  // Their types use those of Puppeteer and of Node.
  if (packs.has('older')) packs.add('puppeteer').add('node');
  return [...packs];
}
