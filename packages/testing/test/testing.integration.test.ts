import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { echo } from '@trawl/echo';
import { dataset, kv, mongo } from '@trawl/storage';
import { clearStorage, runSkript, servePages } from '../src/index.js';

beforeEach(clearStorage);

test('runSkript returns the output as JSON, the rows of this run and the echoes', async () => {
  const main = async (input: { at: Date }, secret: { key: string }) => {
    echo.log('read', secret.key);
    void dataset.push([{ n: 1 }, { n: 2 }]);
    return { input, nothing: undefined };
  };
  for (let runs = 1; runs <= 2; runs++) {
    const result = await runSkript(main, { input: { at: new Date(0) }, inputSecret: { key: 'k' } });
    expect(result).toEqual({
      output: { input: { at: '1970-01-01T00:00:00.000Z' } },
      rows: [{ n: 1 }, { n: 2 }],
      echoes: [{ type: 'log', msg: 'read k', time: expect.any(String) }],
    });
  }
  expect(await mongo.collection(dataset.collectionName).countDocuments({})).toBe(4);
});

test('a test sees the values and documents of its skript, and the next run does too, until clearStorage', async () => {
  const main = async () => {
    await kv.set('page', (((await kv.get('page')) as number | null) ?? 0) + 1);
    await mongo.collection('books').insertOne({ title: 'Sea' });
    return kv.get('page');
  };
  await kv.set('page', 6);
  await runSkript(main);
  expect((await runSkript({ default: main })).output).toBe(8);
  expect([await kv.get('page'), await mongo.collection('books').countDocuments({})]).toEqual([8, 2]);
  clearStorage();
  expect([await kv.get('page'), await mongo.collection('books').countDocuments({})]).toEqual([null, 0]);
});

test('runSkript rejects with the error of the skript, and the next run works', async () => {
  const main = (input: { isBroken: boolean } | null) => {
    if (input?.isBroken) throw new Error('no price');
    return (globalThis as { trawl?: { skript: object } }).trawl?.skript;
  };
  await expect(runSkript(main, { input: { isBroken: true } })).rejects.toThrow('no price');
  expect((await runSkript(main)).output).toEqual({ id: 'local', title: 'test' });
  expect(globalThis).not.toHaveProperty('trawl.skript');
});

test('runSkript answers questions of the skript, and rejects without an answer', async () => {
  const main = async () => echo.question('Which page?', { choices: ['1', '2'] });
  const answer = ({ text, choices }: { text: string; choices: string[] }) => `${text} ${choices.at(-1)}`;
  expect((await runSkript(main, { answer })).output).toBe('Which page? 2');
  await expect(runSkript(main)).rejects.toThrow('The skript asks "Which page?", and the test has no answer.');
  const refuse = async () => {
    throw new Error('no answer for this page');
  };
  await expect(runSkript(main, { answer: refuse })).rejects.toThrow('no answer for this page');
  expect((await runSkript(main, { answer })).output).toBe('Which page? 2');
});

test('rows with a key replace only rows of their own run, and runSkript returns them as the skript pushed them', async () => {
  const main = async ({ price }: { price: number }) => {
    await dataset.push({ sku: 'a', price: 0 }, { key: 'sku' });
    await dataset.push({ sku: 'a', price }, { key: 'sku' });
  };
  expect((await runSkript(main, { input: { price: 1 } })).rows).toEqual([{ sku: 'a', price: 1 }]);
  expect((await runSkript(main, { input: { price: 2 } })).rows).toEqual([{ sku: 'a', price: 2 }]);
  expect(await mongo.collection(dataset.collectionName).countDocuments({})).toBe(2);
});

test('runSkript refuses a second run at the same time, what is not a function, and what is not JSON', async () => {
  let end = () => {};
  const first = runSkript(
    () =>
      new Promise<void>(resolve => {
        end = resolve;
      }),
  );
  await expect(runSkript(() => 1)).rejects.toThrow('another run has not ended');
  end();
  expect((await first).output).toBeNull();
  await expect(runSkript({} as never)).rejects.toThrow('expected the function that main.js exports');
  await expect(runSkript(() => 1n)).rejects.toThrow('the output cannot be JSON');
});

describe('servePages', () => {
  const read = async (url: string, options?: RequestInit) => {
    const response = await fetch(url, options);
    return [response.status, response.headers.get('content-type'), await response.text()];
  };

  test('serves HTML, JSON, responses and functions, and keeps the requests', async () => {
    await using shop = await servePages({
      '/': '<h1>Shop</h1>',
      '/?page=2': 'second',
      '/books.json': [{ title: 'Sea' }],
      '/gone': new Response('gone', { status: 410, headers: { 'content-type': 'text/plain' } }),
      '/echo': async (request: Request) => ({ method: request.method, body: await request.text() }),
      '/broken': () => undefined,
    });
    const html = 'text/html; charset=utf-8';
    expect(await read(`${shop.url}/?page=1`)).toEqual([200, html, '<h1>Shop</h1>']);
    expect(await read(`${shop.url}/?page=2`)).toEqual([200, html, 'second']);
    expect(await read(`${shop.url}/books.json`)).toEqual([200, 'application/json', '[{"title":"Sea"}]']);
    for (let reads = 0; reads < 2; reads++) expect(await read(`${shop.url}/gone`)).toEqual([410, 'text/plain', 'gone']);
    const posted = await read(`${shop.url}/echo`, { method: 'POST', body: 'x', headers: { 'x-a': 'b' } });
    expect(posted).toEqual([200, 'application/json', '{"method":"POST","body":"x"}']);
    expect((await read(`${shop.url}/broken`))[2]).toContain('/broken returned nothing');
    expect((await read(`${shop.url}/other`)).slice(0, 2)).toEqual([404, 'text/plain']);
    expect(shop.requests.map(({ method, path, body }) => `${method} ${path} ${body}`)).toContain('POST /echo x');
    expect(shop.requests.at(-3)?.headers).toMatchObject({ 'x-a': 'b' });
  });

  test('serves the files of a folder, and none outside of it', async () => {
    const root = mkdtempSync(join(tmpdir(), 'trawl-pages-'));
    try {
      writeFileSync(join(root, 'index.html'), 'home');
      writeFileSync(join(root, 'a b.csv'), 'a,b');
      const shop = await servePages({ '/a': 'own' }, { folder: root });
      expect(await read(`${shop.url}/`)).toEqual([200, 'text/html', 'home']);
      expect(await read(`${shop.url}/a%20b.csv?x`)).toEqual([200, 'text/csv', 'a,b']);
      expect(await read(`${shop.url}/a`)).toEqual([200, 'text/html; charset=utf-8', 'own']);
      expect((await read(`${shop.url}/..%2f${encodeURIComponent(__filename)}`))[0]).toBe(404);
      await shop.close();
      await shop.close();
      await expect(fetch(shop.url)).rejects.toThrow('fetch failed');
    } finally {
      rmSync(root, { recursive: true });
    }
  });

  test('refuses a path that does not begin with a slash', async () => {
    await expect(servePages({ books: '' })).rejects.toThrow('the path "books" must begin with /');
  });
});
