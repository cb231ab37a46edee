import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadRules, rulesIn } from './robots-rules.js';

const SHOP = 'https://shop.example';
const disallowed = (text: string, path: string) => rulesIn(text, SHOP).disallowed(new URL(path, SHOP));

it('names the rule that disallows a URL', () => {
  const text = 'User-agent: *\nAllow: /private/open\nDisallow: /private\nDisallow: /*.pdf$';
  expect(disallowed(text, '/private/a?b=1')).toEqual({ line: 3, text: 'Disallow: /private' });
  expect(disallowed(text, '/a/b.pdf')).toEqual({ line: 4, text: 'Disallow: /*.pdf$' });
  expect(disallowed(text, '/private/open/1')).toBeNull();
  expect(disallowed(text, '/')).toBeNull();
});

it('follows the rules for Trawl if there are some, and always allows robots.txt', () => {
  const text = 'User-agent: *\nDisallow:\n\nUser-agent: Trawl/1.0\nUser-agent: other\nDisallow: /';
  expect(disallowed(text, '/a')).toEqual({ line: 6, text: 'Disallow: /' });
  expect(disallowed(text, '/robots.txt')).toBeNull();
});

it.each([
  ['Crawl-delay: 10', 10_000],
  ['Crawl-delay: 0.5', 500],
  ['Crawl-delay: 86400', 60_000],
  ['Crawl-delay: Infinity', 60_000],
  ['Crawl-delay: -5', 0],
  ['Crawl-delay: soon', 0],
  ['Disallow: /', 0],
])('%s asks for an interval of %d ms', (line, ms) => {
  expect(rulesIn(`User-agent: *\n${line}`, SHOP).crawlDelayMs).toBe(ms);
});

it.each([
  ['bytes of no text', Buffer.from([0xff, 0xfe, 0, 0x80]).toString('latin1')],
  ['HTML', '<!doctype html><script>Disallow: /</script>'],
  ['a very long line', `User-agent: *\nDisallow: /${'*a'.repeat(100_000)}`],
  [
    'rules after thousands of wildcards',
    `User-agent: *\n${`Disallow: /${'*a'.repeat(900)}b\n`.repeat(240)}Disallow: /*a`,
  ],
  ['rules for another agent', 'User-agent: *\nDisallow: /b\nUser-agent: one\nUser-agent: two\nDisallow: /'],
  ['hostile names', 'User-agent: __proto__\nDisallow: /\nUser-agent: constructor\nCrawl-delay: 9'],
])('%s allows all', (_, text) => {
  const { crawlDelayMs, disallowed } = rulesIn(text, SHOP);
  expect([crawlDelayMs, disallowed(new URL(`${SHOP}/${'a'.repeat(5_000)}`))]).toEqual([0, null]);
});

it('does not count the wildcards for other agents', () => {
  const text = `User-agent: other\n${'Disallow: /*.pdf\n'.repeat(5_000)}User-agent: *\nDisallow: /*.html`;
  expect(disallowed(text, '/a.html')?.line).toBe(5_003);
});

it('reads a robots.txt of thousands of names and rules', () => {
  const text = `${'User-agent: *\n'.repeat(16_000)}${'Disallow: /a\n'.repeat(16_000)}`;
  expect(disallowed(text, '/a')).toEqual({ line: 16_001, text: 'Disallow: /a' });
});

describe('loading', () => {
  let site: Server;
  let answer: RequestListener;
  let origin: string;
  const begun: string[] = [];
  const load = () => loadRules(origin, url => begun.push(url));

  beforeAll(async () => {
    site = createServer((request, response) => answer(request, response)).listen(0, '127.0.0.1');
    await once(site, 'listening');
    origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    begun.length = 0;
  });
  afterAll(() => site.close().closeAllConnections());

  it('follows redirects, and tells of each request', async () => {
    answer = ({ url }, response) => {
      if (url === '/robots.txt') response.writeHead(301, { location: '/rules' }).end();
      else response.end('User-agent: *\nDisallow: /a');
    };
    const { rules, problem } = await load();
    expect([rules.disallowed(new URL(`${origin}/a`))?.line, problem]).toEqual([2, null]);
    expect(begun).toEqual([`${origin}/robots.txt`, `${origin}/rules`]);
  });

  it.each([
    ['redirects to itself', 302, 'it redirects more than 5 times'],
    ['fails', 500, 'it answered 500'],
    ['is missing', 404, null],
    ['is forbidden', 403, null],
  ])('a robots.txt that %s allows all', async (_, status, reason) => {
    answer = (_request, response) =>
      response.writeHead(status, { location: '/robots.txt' }).end('User-agent: *\nDisallow: /');
    const { rules, problem } = await load();
    expect([rules.disallowed(new URL(`${origin}/a`)), problem]).toEqual([null, reason]);
    expect(begun.length).toBeLessThanOrEqual(6);
  });

  it('reads only the begin of a robots.txt without end, and no rule that is cut', async () => {
    let sent = 0;
    answer = (_request, response) => {
      response.write('User-agent: *\nDisallow: /first\n');
      const write = () => {
        if (response.destroyed) return;
        sent += 64 * 1024;
        response.write(`Disallow: /${'x'.repeat(1_000)}\n`.repeat(64), write);
      };
      write();
    };
    const { rules, problem } = await load();
    expect([rules.disallowed(new URL(`${origin}/first`))?.line, problem]).toEqual([2, null]);
    expect(sent).toBeLessThan(50 * 1024 * 1024);
  });

  it('tells why a site cannot be reached', async () => {
    answer = request => request.destroy();
    expect((await load()).problem).toMatch(/other side closed|socket|ECONNRESET/);
  });
});
