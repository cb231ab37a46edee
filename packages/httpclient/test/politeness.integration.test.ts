import type { ServerResponse } from 'node:http';
import { HttpClient } from '@trawl/httpclient';
import { startServer, testServers } from './test-server.js';

const serve = testServers();

it('HttpClient has at most maxConcurrencyPerHost requests to a host open until their content is read', async () => {
  const open: ServerResponse[] = [];
  let most = 0;
  let arrived = () => {};
  const url = await serve((_request, response) => {
    open.push(response);
    most = Math.max(most, open.length);
    response.write('beginning');
    arrived();
  });
  const client = new HttpClient({ maxConcurrencyPerHost: 2 });
  const answers = Promise.all([1, 2, 3, 4].map(n => client.html(`${url}/${n}`)));
  for (let answered = 0; answered < 4; ) {
    if (open.length < Math.min(2, 4 - answered)) await new Promise<void>(resolve => (arrived = resolve));
    else {
      open.shift()?.end(' and end');
      answered++;
    }
  }
  expect((await answers).map(({ content }) => content)).toEqual(Array(4).fill('beginning and end'));
  expect(most).toBe(2);
});

it('a call that fails or follows a redirect frees its place for the next request to the host', async () => {
  const url = await serve(({ url: path }, response) => {
    if (path === '/broken') response.destroy();
    else if (path === '/moved') response.writeHead(302, { Location: '/' }).end();
    else response.end('"here"');
  });
  const client = new HttpClient({ maxConcurrencyPerHost: 1, minDelayPerHostMs: 1 });
  expect((await client.json(`${url}/broken`)).status).toBe(0);
  expect((await client.json(`${url}/moved`)).content).toBe('here');
  expect((await client.json(url)).content).toBe('here');
});

describe('HttpClient and robots.txt', () => {
  /** Serves robots.txt with `status` and `text`. Returns the URL and the paths that were asked for. */
  async function site(text: string, status = 200) {
    const asked: string[] = [];
    const url = await serve(({ url: path = '', headers }, response) => {
      asked.push(`${path} ${headers['user-agent']}`);
      if (path === '/robots.txt') response.writeHead(status).end(text);
      else if (path === '/moved') response.writeHead(302, { Location: '/private/1' }).end();
      else response.end('"page"');
    });
    return { url, asked };
  }
  const polite = (more = {}) => new HttpClient({ robotsUserAgent: 'acme-prices/1.0', ...more });
  const statuses = async (client: HttpClient, url: string, paths: string[]) =>
    Promise.all(paths.map(async path => (await client.json(url + path)).status));

  it('does not request robots.txt without robotsUserAgent', async () => {
    const { url, asked } = await site('User-agent: *\nDisallow: /');
    expect((await new HttpClient().json(url)).status).toBe(200);
    expect(asked).toEqual(['/ node']);
  });

  it('requests robots.txt once, and blocks the paths that it disallows, also after a redirect', async () => {
    const { url, asked } = await site('User-agent: other\nDisallow: /\n\nUser-agent: *\nDisallow: /private/\nAllow: /');
    const client = polite({ maxConcurrencyPerHost: 1 });
    expect(await statuses(client, url, ['/', '/private/1', '/moved'])).toEqual([200, 0, 0]);
    expect(await client.json(`${url}/private/1`)).toEqual({
      status: 0,
      statusMessage: `Blocked: ${url}/robots.txt disallows this URL for acme-prices/1.0`,
      content: null,
      headers: {},
    });
    expect(asked).toEqual(['/robots.txt acme-prices/1.0', '/ acme-prices/1.0', '/moved acme-prices/1.0']);
  });

  it.each([
    [
      'the group of the agent counts, not that of all',
      'User-agent: *\nDisallow: /\nUser-agent: Acme-Prices\nDisallow:',
    ],
    [
      'groups may share rules',
      'User-agent: a\nUser-agent: acme-prices\nUser-agent: b\nAllow: /\nUser-agent: *\nDisallow: /',
    ],
    ['an empty file allows everything', ''],
    ['a page of HTML allows everything', '<!doctype html><title>Not found</title>'],
  ])('allows a request: %s', async (_what, text) => {
    const { url } = await site(text);
    expect((await polite().json(url)).status).toBe(200);
  });

  it.each([
    [404, 200],
    [403, 200],
    [302, 200],
    [429, 0],
    [503, 0],
  ])('robots.txt with status %i makes a call resolve with status %i', async (robotsStatus, status) => {
    const { url } = await site('User-agent: *\nDisallow: /', robotsStatus);
    expect((await polite().json(url)).status).toBe(status);
  });

  it('blocks a site whose robots.txt cannot be read, and names the reason', async () => {
    const server = await startServer(() => {});
    await server.close();
    expect((await polite().json(server.url)).statusMessage).toMatch(
      /^Blocked: .*\/robots\.txt cannot be read: .*ECONNREFUSED/,
    );
    const silent = await serve(() => {});
    const hasty = polite({ timeoutMs: 50, retries: 0 });
    expect((await hasty.json(silent)).statusMessage).toMatch(/cannot be read: timeout after 50 ms$/);
  });

  it('reads a hostile robots.txt without hanging: many agents, endless lines, wildcards, 100 MB', async () => {
    const hostile = [
      'User-agent: *\n'.repeat(20_000),
      Array.from({ length: 20_000 }, (_, n) => `User-agent: a${n}\nDisallow: /*a*b*c*$\n`).join(''),
      `User-agent: *\n${'Disallow: /*a*a*a*a*a*a*a*a*b\n'.repeat(10_000)}`,
      `Disallow: ${'*/'.repeat(200_000)}`,
      `User-agent: *\nCrawl-delay: -1e999\nDisallow: /${'x'.repeat(1_000_000)}`,
    ];
    for (const text of hostile) {
      const { url } = await site(text);
      expect((await polite().json(`${url}/${'a'.repeat(200)}`)).status).toBe(200);
    }
    let sent = 0;
    const endless = await serve(({ url: path }, response) => {
      if (path !== '/robots.txt') return response.end('"page"');
      const fill = () => {
        for (sent += 100_000; response.write('#'.repeat(99_999).concat('\n')) && sent < 100_000_000; ) sent += 100_000;
      };
      response.on('drain', fill);
      return fill();
    });
    expect((await polite().json(endless)).status).toBe(200);
    expect(sent).toBeLessThan(50_000_000);
  });
});

it.each([{ minDelayPerHostMs: -1 }, { maxConcurrencyPerHost: 0 }, { maxConcurrencyPerHost: 1.5 }])(
  'HttpClient refuses the politeness options %p',
  options => {
    expect(() => new HttpClient(options)).toThrow(RangeError);
  },
);

it.each([
  { robotsUserAgent: '' },
  { robotsUserAgent: 'Mozilla 5' },
  { proxyUrl: 'proxy:8080' },
  { proxyUrl: 'socks5://secret@proxy' },
  { proxyUrl: 'http://me:secret%@proxy' },
  { minDelayMs: 5 },
])('HttpClient refuses the options %p with an error that names the option and hides secrets', options => {
  const make = () => new HttpClient(options as object);
  expect(make).toThrow(TypeError);
  expect(make).toThrow(Object.keys(options)[0]);
  expect(make).not.toThrow('secret');
});
