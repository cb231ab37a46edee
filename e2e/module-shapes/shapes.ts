/** Ways in which people write modules: the files of a skript, and the output of its run. */
export interface Shape {
  files: Record<string, string>;
  output: unknown;
}

const MATHS_TS = 'export const double = (n: number): number => 2 * n;\nexport type Pair = [number, number];\n';

export const SHAPES: Record<string, Shape> = {
  'main.js, CommonJS': { files: { 'main.js': 'module.exports = async () => 1;' }, output: 1 },
  'main.js, exports.default': { files: { 'main.js': 'exports.default = () => 1;' }, output: 1 },
  'main.js, ES module': { files: { 'main.js': 'export default () => 1;' }, output: 1 },
  'main.js, default as a name': {
    files: { 'main.js': 'const run = () => 1;\nexport { run as default };' },
    output: 1,
  },
  'main.mjs': { files: { 'main.mjs': 'export default function main() { return 1; }' }, output: 1 },
  'main.cjs': { files: { 'main.cjs': 'module.exports = () => __filename.endsWith("/main.cjs");' }, output: true },
  'main.ts': {
    files: { 'main.ts': 'export default async (input?: { n: number }): Promise<number> => input?.n ?? 1;' },
    output: 1,
  },
  'main.mts': { files: { 'main.mts': 'export default (): number => 1 satisfies number;' }, output: 1 },
  'main.ts with CommonJS exports': {
    files: { 'main.ts': 'const main = (): number => 1;\nmodule.exports = main;' },
    output: 1,
  },
  'main.ts with export =': { files: { 'main.ts': 'const main = (): number => 1;\nexport = main;' }, output: 1 },
  'main.ts with import = require': {
    files: { 'main.ts': "import path = require('node:path');\nexport default () => path.posix.join('a', 'b');" },
    output: 'a/b',
  },
  'a type error, which does not stop a build': {
    files: { 'main.ts': 'export default () => { const n: number = "text"; return n; };' },
    output: 'text',
  },
  'an import without an ending': {
    files: { 'main.ts': "import { double } from './maths';\nexport default () => double(2);", 'maths.ts': MATHS_TS },
    output: 4,
  },
  'an import of .ts': {
    files: { 'main.ts': "import { double } from './maths.ts';\nexport default () => double(2);", 'maths.ts': MATHS_TS },
    output: 4,
  },
  'an import of .js that stands for .ts': {
    files: { 'main.ts': "import { double } from './maths.js';\nexport default () => double(2);", 'maths.ts': MATHS_TS },
    output: 4,
  },
  'an import of .mjs that stands for .mts': {
    files: {
      'main.mts': "import { double } from './maths.mjs';\nexport default () => double(2);",
      'maths.mts': MATHS_TS,
    },
    output: 4,
  },
  'an import of a type only': {
    files: {
      'main.ts': "import type { Pair } from './maths';\nexport default (): Pair => [1, 2];",
      'maths.ts': MATHS_TS,
    },
    output: [1, 2],
  },
  'TypeScript imported by JavaScript': {
    files: {
      'main.js': "const { double } = require('./maths');\nmodule.exports = () => double(2);",
      'maths.ts': MATHS_TS,
    },
    output: 4,
  },
  'JavaScript imported by TypeScript': {
    files: {
      'main.ts': "import twice from './twice.cjs';\nexport default () => twice(2);",
      'twice.cjs': 'module.exports = n => 2 * n;',
    },
    output: 4,
  },
  'JavaScript beside TypeScript of the same name': {
    files: {
      'main.js': "module.exports = () => require('./part').from;",
      'part.js': "exports.from = 'js';",
      'part.ts': "export const from: string = 'ts';",
    },
    output: 'js',
  },
  'a folder with index.ts': {
    files: { 'main.ts': "import { double } from './lib';\nexport default () => double(2);", 'lib/index.ts': MATHS_TS },
    output: 4,
  },
  'JSON by default import': {
    files: { 'main.ts': "import data from './data.json';\nexport default () => data.n;", 'data.json': '{ "n": 1 }' },
    output: 1,
  },
  'JSON with an attribute': {
    files: {
      'main.mjs': "import data from './data.json' with { type: 'json' };\nexport default () => data.n;",
      'data.json': '{ "n": 1 }',
    },
    output: 1,
  },
  'paths of tsconfig.json': {
    files: {
      'main.ts': "import { double } from '@lib/maths';\nexport default () => double(2);",
      'src/lib/maths.ts': MATHS_TS,
      'tsconfig.json':
        '{\n  // comments are allowed\n  "compilerOptions": { "paths": { "@lib/*": ["./src/lib/*"], }, },\n}',
    },
    output: 4,
  },
  'paths of a tsconfig.json that another extends': {
    files: {
      'main.ts': "import { double } from '~/maths.js';\nexport default () => double(2);",
      'src/maths.ts': MATHS_TS,
      'config/base.json': '{ "compilerOptions": { "baseUrl": "..", "paths": { "~/*": ["src/*"] } } }',
      'tsconfig.json': '{ "extends": "./config/base.json", "compilerOptions": { "strict": true } }',
    },
    output: 4,
  },
  'baseUrl of tsconfig.json': {
    files: {
      'main.ts': "import { double } from 'lib/maths';\nexport default () => double(2);",
      'lib/maths.ts': MATHS_TS,
      'tsconfig.json': '{ "compilerOptions": { "baseUrl": "." } }',
    },
    output: 4,
  },
  'imports of package.json': {
    files: {
      'main.mjs': "import { double } from '#lib/maths.js';\nexport default () => double(2);",
      'lib/maths.js': 'export const double = n => 2 * n;',
      'package.json': '{ "type": "module", "imports": { "#lib/*": "./lib/*" } }',
    },
    output: 4,
  },
  'await at the top of main.mjs': {
    files: { 'main.mjs': 'const one = await Promise.resolve(1);\nexport default () => one;' },
    output: 1,
  },
  'await at the top of main.js': {
    files: {
      'main.js':
        "import { readFile } from 'node:fs/promises';\nconst text = await readFile(new URL('./a.txt', import.meta.url), 'utf8');\nexport default () => text;",
      'a.txt': 'text',
    },
    output: 'text',
  },
  'await at the top of an imported file': {
    files: {
      'main.ts': "import { one } from './one';\nexport default () => one;",
      'one.ts': 'export const one: number = await new Promise(done => setTimeout(() => done(1), 5));',
    },
    output: 1,
  },
  'await at the top, with libraries and CommonJS files': {
    files: {
      'main.mts':
        "import { load } from 'cheerio';\nimport twice from './twice.cjs';\nimport * as path from 'node:path';\nconst html = await Promise.resolve('<b>2</b>');\nexport default () => twice(Number(load(html)('b').text())) + path.sep;",
      'twice.cjs': 'module.exports = n => 2 * n;',
    },
    output: '4/',
  },
  'await at the top, and a dynamic import': {
    files: {
      'main.mjs':
        "const { double } = await import('./maths.js');\nconst { load } = await import('cheerio');\nexport default () => double(load('<b>2</b>')('b').text());",
      'maths.js': 'export const double = n => 2 * n;',
    },
    output: 4,
  },
  'import.meta.dirname and filename': {
    files: {
      'main.mjs':
        "import { own } from './lib/own.js';\nimport { relative } from 'node:path';\nexport default () => [import.meta.filename, own, import.meta.dirname].map(path => relative(process.cwd(), path));",
      'lib/own.js': 'export const own = import.meta.filename;',
    },
    output: ['main.mjs', 'lib/own.js', ''],
  },
  'import.meta.url of TypeScript': {
    files: {
      'main.ts':
        "export default () => new URL('x.csv', import.meta.url).href.replace(/.*[/]/, import.meta.url.slice(-8));",
    },
    output: '/main.tsx.csv',
  },
  'createRequire with import.meta.url': {
    files: {
      'main.mjs':
        "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);\nexport default () => require('./data.json').n + require('cheerio').load('<b>1</b>')('b').text();",
      'data.json': '{ "n": 1 }',
    },
    output: '11',
  },
  'require with a computed path in TypeScript': {
    files: {
      'main.ts':
        "declare const require: (path: string) => any;\nexport default () => ['a', 'b'].map(name => require('./steps/' + name).default());",
      'steps/a.ts': 'export default (): number => 1;',
      'steps/b.js': 'exports.default = () => 2;',
    },
    output: [1, 2],
  },
  'older decorators': {
    files: {
      'main.ts':
        'const twice = (_: object, __: string, of: PropertyDescriptor) => { const { value } = of; of.value = () => 2 * value(); };\nclass Page { @twice size() { return 2; } }\nexport default () => new Page().size();',
      'tsconfig.json': '{ "compilerOptions": { "experimentalDecorators": true } }',
    },
    output: 4,
  },
  'decorators of the standard': {
    files: {
      'main.ts':
        'const twice = (method: () => number, _: ClassMethodDecoratorContext) => () => 2 * method();\nclass Page { @twice size() { return 2; } }\nexport default () => new Page().size();',
    },
    output: 4,
  },
  'enums, namespaces and parameter properties': {
    files: {
      'main.ts':
        'enum Size { S = 1, L = 3 }\nnamespace Shop { export const open = true; }\nclass Page { constructor(readonly size: Size) {} }\nexport default () => [new Page(Size.L).size, Size[1], Shop.open];',
    },
    output: [3, 'S', true],
  },
  'TSX with an own factory': {
    files: {
      'main.ts': "import { page } from './page';\nexport default () => page;",
      'page.tsx':
        "/** @jsx h */\nconst h = (tag: string, props: object | null, ...children: string[]) => [tag, ...children].join(' ');\nexport const page = <b>1</b>;",
    },
    output: 'b 1',
  },
  using: {
    files: {
      'main.ts':
        'const log: string[] = [];\nexport default () => { { using file = { [Symbol.dispose]: () => log.push("closed") }; log.push(typeof file); } return log; };',
    },
    output: ['object', 'closed'],
  },
  'circular imports': {
    files: {
      'main.ts': "import { even } from './even';\nexport default () => even(4);",
      'even.ts': "import { odd } from './odd';\nexport const even = (n: number): boolean => n === 0 || odd(n - 1);",
      'odd.ts': "import { even } from './even';\nexport const odd = (n: number): boolean => n !== 0 && even(n - 1);",
    },
    output: true,
  },
};
