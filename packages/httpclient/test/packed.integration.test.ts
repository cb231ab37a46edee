import { PackedPackage } from '../../../scripts/jest/packed-package.js';
import { testServers } from './test-server.js';

const serve = testServers();
let project: PackedPackage;

beforeAll(async () => {
  project = await PackedPackage.install('packages/httpclient');
});

afterAll(() => project.remove());

test('packed @trawl/httpclient runs the README example as printed, as CommonJS and as ES module', async () => {
  const url = await serve((_request, response) => response.end('<title>Sea stories</title>'));
  const printed = "{ title: 'Sea stories' }\n";
  const call = `main({ base_url: '${url}' }).then(console.log);`;
  expect(await project.runReadmeExample('packages/httpclient', call)).toEqual([printed, printed]);
});

test('packed @trawl/httpclient exports the same classes to CommonJS and ES modules, and they can send requests', async () => {
  const url = await serve(({ url: path, headers }, response) => {
    response.setHeader('Set-Cookie', 'a=1');
    response.end(path === '/robots.txt' ? '' : JSON.stringify(headers.cookie ?? path));
  });
  const use = `
    const options = { cookieJar: new CookieJar(), robotsUserAgent: 'acme' };
    const client = new HttpClient(options);
    const proxied = new HttpClient({ ...options, proxyUrl: '${url}' });
    const contents = async () => [await client.json('${url}/1'), await proxied.json('${url}/2')].map(a => a.content);
    contents().then(result => console.log(JSON.stringify(result)));`;
  await project.write('use.cjs', `const { CookieJar, HttpClient } = require('@trawl/httpclient');${use}`);
  await project.write('use.mjs', `import { CookieJar, HttpClient } from '@trawl/httpclient';${use}`);
  for (const file of ['use.cjs', 'use.mjs']) expect(await project.run(file)).toBe('["/1","a=1"]\n');
  await project.write(
    'same.mjs',
    `import { createRequire } from 'node:module';
    import * as module from '@trawl/httpclient';
    const required = createRequire(import.meta.url)('@trawl/httpclient');
    console.log(Object.keys(required).filter(name => module[name] === required[name]).join());`,
  );
  expect(await project.run('same.mjs')).toBe('CookieJar,HttpClient\n');
});

// A test of packages/cli checks the types that editors get.
if (isFullTest)
  test('packed @trawl/httpclient has strict types in CommonJS and ES modules', async () => {
    const use = `
    const client = new HttpClient({ cookieJar: new CookieJar(), minDelayPerHostMs: 500, retries: 0 });
    const status: Promise<number> = client.json('https://example.com/', { body: { a: 1 } }).then(a => a.status);
    const text: Promise<string> = client.html(new URL('https://example.com/')).then(a => a.content);
    new HttpClient({ minDelayMs: 500 });
    new HttpClient({ cookieJar: true });
    export { status, text };`;
    await project.write('types.mts', `import { CookieJar, HttpClient } from '@trawl/httpclient';${use}`);
    await project.write('types.cts', `import { CookieJar, HttpClient } from '@trawl/httpclient';${use}`);
    const errors = await project.typeErrors(['types.mts', 'types.cts']);
    expect(errors.match(/^types.*?: error/gm)?.map(place => place.replace(/,\d+/, ''))).toEqual([
      'types.cts(4): error',
      'types.cts(5): error',
      'types.cts(6): error',
      'types.mts(4): error',
      'types.mts(5): error',
      'types.mts(6): error',
    ]);
  });
