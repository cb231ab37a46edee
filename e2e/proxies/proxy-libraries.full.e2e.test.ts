import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { Platform } from '../harness/platform.js';
import { WITH_BROWSER } from '../harness/worker-process.js';
import { registrySettings } from '../libraries/registry-settings.js';
import { certificate } from './certificate.js';
import { closeProxies, httpProxy, type LocalProxy, socksProxy, USER } from './local-proxies.js';

/** npm reads the lists of hundreds of packages and installs them. */
const INSTALL_MS = 900_000;
const PACKAGE = JSON.stringify({
  dependencies: { crawlee: '3.18.1', 'got-scraping': '4.2.1', playwright: '1.65.0', undici: '7.30.2' },
});
/** Only the proxies know this name. */
const HOST = 'shop.test';

const answer: RequestListener = ({ httpVersion }, response) => {
  response.setHeader('content-type', 'text/html');
  response.end(`<title>HTTP/${httpVersion}</title>`);
};
const TLS = certificate();
const site = createServer(answer);
const secureSite = createSecureServer({ ...TLS, allowHTTP1: true }, answer as never);
const portOf = (server: Server | object) => ((server as Server).address() as AddressInfo).port;
const SCHEMES = ['http', 'https', 'socks5'] as const;
let proxies: Record<(typeof SCHEMES)[number], LocalProxy>;
let platform: Platform;
let connections: number;

beforeAll(async () => {
  for (const server of [site, secureSite]) {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    server.on('connection', () => {
      connections += 1;
    });
  }
  proxies = {
    http: await httpProxy({ asks: true }),
    https: await httpProxy({ asks: true, tls: TLS }),
    socks5: await socksProxy({ asks: true }),
  };
  const registry = await registrySettings();
  platform = await Platform.start({
    backendEnv: registry,
    mayReach: SCHEMES.map(scheme => `http://127.0.0.1:${proxies[scheme].port}`),
    workerEnv: { ...WITH_BROWSER, ...registry },
  });
  const developer = await platform.as('developer');
  for (const scheme of SCHEMES) {
    const url = `${scheme}://${USER.name}:${encodeURIComponent(USER.password)}@127.0.0.1:${proxies[scheme].port}`;
    const { body } = await developer('POST', '/joint-api/proxy-pools/addnew', { name: scheme, lines: url });
    expect(body).toMatchObject({ proxies: 1 });
  }
}, INSTALL_MS);
afterAll(async () => {
  await platform?.close();
  closeProxies();
  site.close().closeAllConnections();
  secureSite.close();
});
beforeEach(() => {
  connections = 0;
  for (const scheme of SCHEMES) proxies[scheme].asked.length = 0;
});

const CRAWLER = (name: string, options: string, title: string) => `
  const { ${name}, Configuration } = require('crawlee');
  const read = async url => {
    let title;
    const crawler = new ${name}({
      ${options}
      maxRequestRetries: 0,
      requestHandler: async context => { title = await (${title})(context); },
      failedRequestHandler: (_, error) => { title = error; },
    }, new Configuration({ persistStorage: false }));
    await crawler.run([url]);
    if (title instanceof Error) throw title;
    return title;
  };`;

/** Functions `read(url)`, which return the title of a page: the version of HTTP with which the site got the request. */
const LIBRARIES: [name: string, version: string, read: string][] = [
  [
    'got-scraping',
    '2.0',
    `const read = async url => {
       const { gotScraping } = await import('got-scraping');
       return titleOf((await gotScraping({ url, retry: { limit: 0 }, https: { rejectUnauthorized: false } })).body);
     };`,
  ],
  [
    'got-scraping without HTTP/2',
    '1.1',
    `const read = async url => {
       const { gotScraping } = await import('got-scraping');
       return titleOf((await gotScraping({ url, http2: false, retry: { limit: 0 } })).body);
     };`,
  ],
  [
    'an Agent of undici',
    '1.1',
    `const { Agent, request } = require('undici');
     const read = async url =>
       titleOf(await (await request(url, { dispatcher: new Agent({ connections: 1 }) })).body.text());`,
  ],
  ['a CheerioCrawler', '2.0', CRAWLER('CheerioCrawler', '', `({ $ }) => $('title').text()`)],
  [
    'a PuppeteerCrawler',
    '2.0',
    CRAWLER(
      'PuppeteerCrawler',
      'launchContext: { launchOptions: { acceptInsecureCerts: true } },',
      '({ page }) => page.title()',
    ),
  ],
  [
    'a PlaywrightCrawler',
    '2.0',
    CRAWLER(
      'PlaywrightCrawler',
      'launchContext: { launchOptions: { ignoreHTTPSErrors: true } },',
      '({ page }) => page.title()',
    ),
  ],
];

test.each(LIBRARIES.flatMap(([name, version, read]) => SCHEMES.map(scheme => ({ name, version, read, scheme }))))(
  '$name reads pages through a proxy of $scheme only',
  async ({ name, version, read, scheme }) => {
    const main = `process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
      const titleOf = html => /<title>(.*?)<.title>/.exec(html)[1];
      ${read}
      module.exports = async ({ urls }) => {
        const titles = [];
        for (const url of urls) titles.push(await read(url));
        return titles;
      };`;
    const settings = { proxy: scheme, environment: 'browser' };
    const skript = await platform.skript(`${name}, ${scheme}`, { 'package.json': PACKAGE, 'main.js': main }, settings);
    const urls = [`http://${HOST}:${portOf(site)}/`, `https://${HOST}:${portOf(secureSite)}/`];
    const run = await platform.ended(await platform.begin(skript, { urls }), INSTALL_MS);
    expect([run.error_stack, run.action]).toEqual([null, 'end']);
    expect(run.output).toEqual(['HTTP/1.1', `HTTP/${version}`]);
    const { asked } = proxies[scheme];
    expect(new Set(asked)).toEqual(new Set(urls.map(url => new URL(url).host)));
    expect(connections).toBe(asked.length);
  },
  INSTALL_MS,
);
