import { readFile } from 'node:fs/promises';
import { PackedPackage } from '../../../scripts/jest/packed-package.js';

let project: PackedPackage;

beforeAll(async () => {
  project = await PackedPackage.install('packages/client');
});

afterAll(() => project.remove());

/** A server that answers a start with the output of the README's skript, and everything else with an error. */
const SERVER = `
const server = require('node:http').createServer((request, response) => {
  response.setHeader('content-type', 'application/json');
  const isStart = request.method === 'POST' && request.url.includes('/single-worker/start');
  const isList = request.url.startsWith('/joint-api/skripts/list');
  response.statusCode = isStart || isList ? 200 : 404;
  const list = { items: [{ id: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071', title: 'Books' }] };
  const execution = { id: 'e', action: 'end', output: { books: 20 }, skript: { name: 'Books' } };
  const error = { error_code: 'not_found', error_message: 'No such thing.', request_id: 'r' };
  response.end(JSON.stringify(isStart ? execution : isList ? list : error));
}).listen(0, '127.0.0.1', () => {
  process.env.TRAWL_URL = 'http://127.0.0.1:' + server.address().port;
  process.env.TRAWL_KEY = 'trk_1';
  module.exports.main().finally(() => server.close());
});
`;

test('the packed client runs the first README example as printed, as CommonJS and as ES module', async () => {
  const readme = await readFile('packages/client/README.md', 'utf8');
  const [, example = ''] = /```js\n(.*?)```/s.exec(readme) ?? [];
  const [imported = '', ...body] = example.split('\n');
  const main = `module.exports = { main: async () => { ${body.join('\n')} } };`;
  await project.write(
    'run.cjs',
    `${imported.replace(/import (.*) from (.*);/, 'const $1 = require($2);')}\n${main}\n${SERVER}`,
  );
  expect(await project.run('run.cjs')).toBe('{ books: 20 }\n');
  const preamble = `${imported}\nimport { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);`;
  await project.write('run.mjs', `${preamble}\nconst module = { exports: {} };\n${main}\n${SERVER}`);
  expect(await project.run('run.mjs')).toBe('{ books: 20 }\n');
});

test('the packed client exports the same classes to CommonJS and ES modules', async () => {
  await project.write(
    'same.mjs',
    `import { createRequire } from 'node:module';
    import * as module from '@trawl/client';
    const required = createRequire(import.meta.url)('@trawl/client');
    console.log(Object.keys(required).filter(name => module[name] === required[name]).sort().join());`,
  );
  expect(await project.run('same.mjs')).toBe('Run,RunError,Trawl,TrawlError,isEnded,unwrap\n');
});

test('the packed client has strict types in CommonJS and ES modules', async () => {
  const use = `
    const trawl = new Trawl({ url: 'http://trawl.test', key: 'trk_1' });
    const output: Promise<number> = trawl.call<number>('Books', { pages: 1 });
    const wrong: Promise<string> = trawl.call<number>('Books');
    export { output, wrong };`;
  await project.write('types.mts', `import { Trawl } from '@trawl/client';${use}`);
  await project.write('types.cts', `import { Trawl } from '@trawl/client';${use}`);
  const errors = await project.typeErrors(['types.mts', 'types.cts']);
  const places = errors.match(/^types.*?: error/gm);
  expect(places).toEqual(['types.cts(4,11): error', 'types.mts(4,11): error']);
});
