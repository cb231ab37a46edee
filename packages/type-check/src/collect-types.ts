import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { OLDER_DEPENDENCIES } from '@trawl/contracts';
import ts from 'typescript';
import type { PackName, TypePack } from './type-packs.js';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const LANGUAGE = dirname(ts.getDefaultLibFilePath({}));
/** Runs load the libraries that the worker has. */
const ENTRY = join(ROOT, 'worker', 'library-types.js');
const GLOBALS = join(ROOT, 'packages', 'cli', 'types', 'globals.d.ts');

/** The modules of each pack. A program loads a pack when a file imports one of its modules. */
const MODULES: Partial<Record<PackName, string[]>> = {
  trawl: ['@trawl/echo', '@trawl/functionflow', '@trawl/httpclient', '@trawl/storage', '@trawl/testing'],
  older: ['@trawl/echo/older-echo', '@trawl/functionflow/older-function-flow', '@trawl/older-puppeteer'],
  puppeteer: ['puppeteer-core'],
  cheerio: ['cheerio'],
  axios: ['axios'],
  got: ['got'],
  csv: ['csv-parse', 'csv-parse/sync', 'csv-stringify', 'csv-stringify/sync'],
};
/** Packages whose types are larger than their use in a skript. What they declare has the type `any`. */
const LEFT_OUT = /\/node_modules\/(?:devtools-protocol|webdriver-bidi-protocol|undici|@types)\//;
/** Types that another pack has, which comes with this one. */
const IN_OTHER_PACKS: Partial<Record<PackName, RegExp>> = { older: /\/node_modules\/(?:puppeteer-core|@types)\// };

/** Maps the older names of libraries to what they export. */
const OLDER: Record<string, [library: string, name: string]> = {
  '@mikosoft/echo/index': ['@trawl/echo/older-echo', 'OlderEcho'],
  'echoer/index': ['@trawl/echo/older-echo', 'Echoer'],
  '@mikosoft/functionflow/index': ['@trawl/functionflow/older-function-flow', 'OlderFunctionFlow'],
  'functionflowx/index': ['@trawl/functionflow/older-function-flow', 'OlderFunctionFlow'],
  '@mikosoft/httpclient-pptr/index': ['@trawl/older-puppeteer', 'httpClientPptr3'],
  '@mikosoft/httpclient-pptr/v2': ['@trawl/older-puppeteer', 'httpClientPptr2'],
  'pptr-plus/index': ['@trawl/older-puppeteer', 'PptrPlus'],
};

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

const COMMON_JS = ts.ModuleKind.CommonJS;

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

/**
 * Makes the types of a module known without `exports` of package.json. trawl-cli writes packs as folders of files, and
 * TypeScript does not read `exports` in folders that `typeRoots` names.
 */
function makeFoundByFolder(pack: TypePack, module: string): void {
  const { resolvedModule } = ts.resolveModuleName(module, ENTRY, OPTIONS, ts.sys, undefined, undefined, COMMON_JS);
  const path = `/${relative(ROOT, resolvedModule?.resolvedFileName ?? '')}`;
  const folder = `/node_modules/${/^(?:@[^/]+\/)?[^/]+/.exec(module)?.[0]}`;
  const target = `.${path.slice(folder.length)}`;
  const manifest = `${folder}/package.json`;
  if (module === folder.slice('/node_modules/'.length)) {
    const { typings, typesVersions, ...others } = JSON.parse(pack[manifest] ?? '{}');
    pack[manifest] = JSON.stringify({ ...others, types: target });
  } else {
    pack[`/node_modules/${module}.d.ts`] = `export * from '${target.replace(/\.d\.([cm]?)ts$/, '.$1js')}';\n`;
  }
}

/** Collects the types of a pack from the packages that are installed in this checkout. */
export function typePack(name: PackName): TypePack {
  if (name === 'language') return collect('', { lib: ['lib.es2025.d.ts', 'lib.dom.d.ts'] });
  if (name === 'node') {
    return collect('', { noLib: true, types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] }, /^$/);
  }
  const modules = MODULES[name] ?? [];
  const pack = collect(requiring(modules), { noLib: true }, IN_OTHER_PACKS[name]);
  for (const module of modules) makeFoundByFolder(pack, module);
  if (name === 'trawl') pack['/lib/trawl.d.ts'] = readFileSync(GLOBALS, 'utf8');
  if (name === 'older') {
    for (const [file, [library, exported]] of Object.entries(OLDER)) {
      pack[`/node_modules/${file}.d.ts`] = `import { ${exported} } from '${library}';\nexport = ${exported};\n`;
    }
    // A skript may have another version of these, so anything can be right.
    for (const library of OLDER_DEPENDENCIES)
      pack[`/node_modules/${library}/index.d.ts`] = 'declare const library: any;\nexport = library;\n';
  }
  if (name === 'puppeteer') {
    // Runs have both packages, with the same methods. Only the smaller one is installed here.
    pack['/node_modules/puppeteer/index.d.ts'] =
      "export * from 'puppeteer-core';\nexport { default } from 'puppeteer-core';\n";
  }
  return pack;
}
