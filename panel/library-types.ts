import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import type { Plugin } from 'vite';

/** Texts of declaration files and package.json files by their path. `/` is the root of the checkout. */
export type TypePack = Record<string, string>;

const ROOT = join(import.meta.dirname, '..');
const LANGUAGE = dirname(ts.getDefaultLibFilePath({}));
/** Runs load the libraries that the worker has. */
const ENTRY = join(ROOT, 'worker', 'library-types.js');
const GLOBALS = join(ROOT, 'packages', 'cli', 'types', 'globals.d.ts');

/** The modules of each pack. The editor loads a pack when a file imports one of its modules. */
const MODULES: Record<string, string[]> = {
  trawl: ['@trawl/echo', '@trawl/functionflow', '@trawl/httpclient', '@trawl/storage'],
  puppeteer: ['puppeteer-core'],
  cheerio: ['cheerio'],
  axios: ['axios'],
  got: ['got'],
  csv: ['csv-parse', 'csv-parse/sync', 'csv-stringify', 'csv-stringify/sync'],
};
/** Packages whose types are larger than their use in a skript. What they declare has the type `any`. */
const LEFT_OUT = /\/node_modules\/(?:devtools-protocol|webdriver-bidi-protocol|undici|@types)\//;
/** Files whose comments are larger than their types. */
const WITHOUT_COMMENTS = /\/lib\.dom\.|\/node_modules\/(?!@trawl|axios|bson|cheerio|csv|puppeteer)/;

const OPTIONS: ts.CompilerOptions = {
  allowJs: true,
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  preserveSymlinks: true,
  skipLibCheck: true,
  types: [],
};

/** Matches a comment that begins its line, so that no text in quotes matches. */
const COMMENT = /^[ \t]*\/\*[\s\S]*?\*\/[ \t]*\n/gm;

function addPackages(pack: TypePack, path: string): void {
  for (let folder = dirname(path); folder.includes('/node_modules/'); folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    const key = `/${relative(ROOT, manifest)}`;
    if (key in pack || !existsSync(manifest)) continue;
    const { name, type, types, typings, main, exports, typesVersions } = JSON.parse(readFileSync(manifest, 'utf8'));
    pack[key] = JSON.stringify({ name, type, types, typings, main, exports, typesVersions });
  }
}

/** Collects the declarations that a program of this text and these options uses. */
function collect(text: string, options: ts.CompilerOptions, leftOut = LEFT_OUT): TypePack {
  const all = { ...OPTIONS, ...options };
  const host = ts.createCompilerHost(all);
  const { getSourceFile, fileExists } = host;
  host.fileExists = path => path === ENTRY || (!leftOut.test(path) && fileExists(path));
  host.getSourceFile = (path, ...rest) =>
    path === ENTRY ? ts.createSourceFile(path, text, ts.ScriptTarget.ES2023) : getSourceFile(path, ...rest);
  const pack: TypePack = {};
  for (const source of ts.createProgram([ENTRY], all, host).getSourceFiles()) {
    const { fileName } = source;
    if (fileName === ENTRY) continue;
    const inLanguage = relative(LANGUAGE, fileName);
    const path = inLanguage.startsWith('..') ? `/${relative(ROOT, fileName)}` : `/lib/${inLanguage}`;
    pack[path] = WITHOUT_COMMENTS.test(path) ? source.text.replace(COMMENT, '') : source.text;
    addPackages(pack, fileName);
  }
  return pack;
}

const requiring = (modules: readonly string[]): string => modules.map(name => `require('${name}');`).join('\n');

/** Returns the pack of this name: `language`, `node`, or one of `MODULES`. */
export function typePack(name: string): TypePack {
  if (name === 'language') return collect('', { lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'] });
  if (name === 'node') {
    return collect('', { noLib: true, types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] }, /^$/);
  }
  const pack = collect(requiring(MODULES[name] ?? []), { noLib: true });
  if (name === 'trawl') pack['/lib/trawl.d.ts'] = readFileSync(GLOBALS, 'utf8');
  if (name === 'puppeteer') {
    // Runs have both packages, with the same methods. Only the smaller one is installed here.
    pack['/node_modules/puppeteer/index.d.ts'] =
      "export * from 'puppeteer-core';\nexport { default } from 'puppeteer-core';\n";
  }
  return pack;
}

const PREFIX = 'virtual:library-types/';

/** Makes each pack a module whose default export is the pack. */
export const libraryTypes = (): Plugin => ({
  name: 'library-types',
  resolveId: id => (id.startsWith(PREFIX) ? `\0${id}` : null),
  load: id =>
    id.startsWith(`\0${PREFIX}`)
      ? `export default JSON.parse(${JSON.stringify(JSON.stringify(typePack(id.slice(PREFIX.length + 1))))});`
      : null,
});
