import { CookieJar, HttpClient } from '@trawl/httpclient';
import { testServers } from './test-server.js';

const serve = testServers();

/** Sets the cookies of the query, redirects to its `to`, and otherwise answers with the Cookie header. */
const shop = () =>
  serve(({ url = '', headers }, response) => {
    const { searchParams } = new URL(url, 'http://localhost');
    response.setHeader('Set-Cookie', searchParams.getAll('set'));
    const to = searchParams.get('to');
    if (to) response.writeHead(302, { Location: to }).end();
    else response.end(JSON.stringify(headers.cookie ?? null));
  });

const setting = (...cookies: string[]): string =>
  `?${new URLSearchParams(cookies.map((cookie): [string, string] => ['set', cookie])).toString()}`;

it('HttpClient without a cookie jar keeps no cookies', async () => {
  const url = await shop();
  const client = new HttpClient();
  await client.json(url + setting('a=1'));
  expect((await client.json(url)).content).toBeNull();
});

it('the cookie jar sends cookies only to their path, and none that have expired', async () => {
  const url = await shop();
  const client = new HttpClient({ cookieJar: new CookieJar() });
  await client.json(url + setting('all=1', 'deep=2; Path=/books', 'over=3; Max-Age=0'));
  expect((await client.json(`${url}/books/1`)).content).toBe('deep=2; all=1');
  expect((await client.json(`${url}/bookshop`)).content).toBe('all=1');
  await client.json(url + setting('all=; Expires=Thu, 01 Jan 1970 00:00:00 GMT'));
  expect((await client.json(url)).content).toBeNull();
});

it('the cookie jar sends cookies along redirects, to each host only its own', async () => {
  const url = await shop();
  const other = url.replace('127.0.0.1', 'localhost');
  const client = new HttpClient({ cookieJar: new CookieJar() });
  await client.json(other + setting('other=1'));
  const back = `${url}/end`;
  const there = `${other}/${setting('there=2')}&to=${encodeURIComponent(back)}`;
  const { content } = await client.json(`${url}/${setting('here=3')}&to=${encodeURIComponent(there)}`);
  expect(content).toBe('here=3');
  expect((await client.json(other)).content).toBe('other=1; there=2');
});

it('a Cookie header of the call replaces the jar’s cookies, and is not sent to another origin', async () => {
  const url = await shop();
  const other = url.replace('127.0.0.1', 'localhost');
  const client = new HttpClient({ cookieJar: new CookieJar() });
  await client.json(url + setting('jar=1'));
  const headers = { Cookie: 'mine=2' };
  expect((await client.json(url, { headers })).content).toBe('mine=2');
  expect((await client.json(`${url}/?to=${encodeURIComponent(other)}`, { headers })).content).toBeNull();
});

it('the cookie jar ignores cookies of other domains, of public suffixes, with invalid prefixes or over the size limit', async () => {
  const jar = new CookieJar();
  const hostile = [
    'a=1; Domain=example.org',
    'b=2; Domain=com',
    'c=3; Domain=co.uk',
    '__Host-d=4; Secure; Path=/; Domain=shop.example.com',
    `e=${'x'.repeat(5000)}`,
    '',
    ';'.repeat(4000),
    `f=${'\u0001'}`,
    'good=1; Domain=example.com; Secure',
  ];
  await jar.setCookies(hostile, 'https://shop.example.com/');
  expect(await jar.cookieHeader('http://shop.example.com/')).toBe('');
  expect(await jar.cookieHeader('https://shop.example.com/')).toBe('good=1');
  for (const url of ['https://example.org/', 'https://other.com/', 'https://shop.co.uk/']) {
    expect(await jar.cookieHeader(url)).toBe('');
  }
});

it('the cookie jar keeps the latest 50 cookies of a domain, and 3,000 in total', async () => {
  const jar = new CookieJar();
  const cookies = Array.from({ length: 60 }, (_, n) => `c${n}=1`);
  for (let n = 0; n < 65; n++) await jar.setCookies(cookies, `https://shop-${n}.example.com/`);
  expect(await jar.cookieHeader('https://shop-64.example.com/')).toBe(
    Array.from({ length: 50 }, (_, n) => `c${n + 10}=1`).join('; '),
  );
  expect(await jar.cookieHeader('https://shop-4.example.com/')).toBe('');
  expect(await jar.cookieHeader('https://shop-5.example.com/')).not.toBe('');
});

it('a cookie jar saved as JSON and loaded again still has its cookies', async () => {
  const jar = new CookieJar();
  await jar.setCookies(['session=1; HttpOnly'], 'https://example.com/');
  const restored = new CookieJar(JSON.parse(JSON.stringify(jar)));
  expect(await restored.cookieHeader('https://example.com/')).toBe('session=1');
  expect(() => new CookieJar({ cookies: 'none' })).toThrow(TypeError);
});
