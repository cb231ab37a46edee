import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createSecureServer } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import { Platform } from '../harness/platform.js';
import { registrySettings } from '../libraries/registry-settings.js';

/** npm reads the lists of hundreds of packages and installs them. */
const INSTALL_MS = 900_000;
const PACKAGE = JSON.stringify({
  dependencies: { '@crawlee/cheerio': '3.18.1', 'got-scraping': '4.2.1', undici: '7.30.2' },
});

const answer: RequestListener = ({ url = '' }, response) => {
  seen.push(url);
  response.setHeader('content-type', 'text/html');
  response.end(url === '/robots.txt' ? 'User-agent: *\nDisallow: /private' : '<title>open</title>');
};
const site = createServer(answer);
/** A key and a certificate that nobody has signed. */
const pem = execFileSync(
  'openssl',
  'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=127.0.0.1 -keyout - -out -'.split(
    ' ',
  ),
  { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
);
/** Offers HTTP/2, which got-scraping prefers. */
const secureSite = createSecureServer({ key: pem, cert: pem, allowHTTP1: true }, answer as never);
const addressOf = async (server: Server) => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
};
let base_url: string;
let secure_url: string;
let platform: Platform;
let seen: string[];

beforeAll(async () => {
  base_url = `http://${await addressOf(site)}`;
  secure_url = `https://${await addressOf(secureSite)}`;
  const registry = await registrySettings();
  platform = await Platform.start({ backendEnv: registry, mayReach: [base_url, secure_url], workerEnv: registry });
});
afterAll(async () => {
  await platform?.close();
  site.close().closeAllConnections();
  secureSite.close();
});
beforeEach(() => {
  seen = [];
});

/** Functions `read(url)`, which return the text of a page. */
const LIBRARIES = [
  ['undici.request', `const read = async url => (await require('undici').request(url)).body.text();`],
  ['undici.fetch', `const read = async url => (await require('undici').fetch(url)).text();`],
  [
    'an Agent of undici',
    `const { Agent, request } = require('undici');
     const read = async url => (await request(url, { dispatcher: new Agent({ connections: 1 }) })).body.text();`,
  ],
  [
    'a Pool of undici',
    `const { Pool } = require('undici');
     const read = async url => {
       const { origin, pathname: path } = new URL(url);
       const pool = new Pool(origin);
       try { return await (await pool.request({ path, method: 'GET' })).body.text(); } finally { await pool.close(); }
     };`,
  ],
  [
    'a dispatcher of undici in the fetch of Node',
    `const { Agent } = require('undici');
     const read = async url => (await fetch(url, { dispatcher: new Agent() })).text();`,
  ],
  [
    'got-scraping',
    `const read = async url => (await (await import('got-scraping')).gotScraping({ url, retry: { limit: 0 } })).body;`,
  ],
  [
    'a CheerioCrawler',
    `const { CheerioCrawler, Configuration } = require('@crawlee/cheerio');
     const read = async url => {
       let text;
       const crawler = new CheerioCrawler({
         maxRequestRetries: 0,
         requestHandler: ({ body }) => { text = String(body); },
         failedRequestHandler: (_, error) => { text = error; },
       });
       await crawler.run([url]);
       if (text instanceof Error) throw text;
       return text;
     };`,
  ],
] as const;

const GOT_SCRAPING = LIBRARIES[5];

test.each([
  ...LIBRARIES.map(([name, read]) => ({ name, read, url: () => base_url })),
  { name: `${GOT_SCRAPING[0]} with HTTPS`, read: GOT_SCRAPING[1], url: () => secure_url },
])(
  '$name waits at the gate: it reads the pages that robots.txt allows, and no others',
  async ({ name, read, url }) => {
    const main = `process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
      ${read}
      const reasonOf = error => [error, error.cause, error.cause?.cause].map(one => one?.message ?? one).join(' ');
      module.exports = async ({ base_url }) => [
        await read(base_url + '/open'),
        await read(base_url + '/private').catch(reasonOf),
      ];`;
    const skript = await platform.skript(name, { 'package.json': PACKAGE, 'main.js': main }, { polite: true });
    const run = await platform.ended(await platform.begin(skript, { base_url: url() }), INSTALL_MS);
    expect([run.error_stack, run.action]).toEqual([null, 'end']);
    expect(run.output).toEqual([
      '<title>open</title>',
      expect.stringContaining('disallows /private: line 2, Disallow: /private'),
    ]);
    expect(seen).toEqual(['/robots.txt', '/open']);
  },
  INSTALL_MS,
);
