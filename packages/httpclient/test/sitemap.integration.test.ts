import { gzipSync } from 'node:zlib';
import { HttpClient, type SitemapOptions } from '@trawl/httpclient';
import { testServers } from './test-server.js';

const serve = testServers();
const NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const urlset = (...locs: string[]) =>
  `<?xml version="1.0"?><urlset ${NS}>${locs.map(loc => `<url><loc>${loc}</loc></url>`).join('')}</urlset>`;
const indexOf = (...locs: string[]) =>
  `<sitemapindex ${NS}>${locs.map(loc => `<sitemap><loc>${loc}</loc></sitemap>`).join('')}</sitemapindex>`;

/** Serves files by their path; `BASE` in them becomes the address of the server. */
async function site(files: Record<string, string | Buffer>): Promise<string> {
  const base: string = await serve(({ url = '' }, response) => {
    const file = files[url];
    if (file === undefined) response.writeHead(404).end();
    else response.end(typeof file === 'string' ? file.replaceAll('BASE', base) : file);
  });
  return base;
}

async function pagesOf(url: string, options?: SitemapOptions, client = new HttpClient()) {
  const pages = [];
  for await (const page of client.sitemap(url, options)) pages.push(page);
  return pages;
}
const pathsOf = async (...args: Parameters<typeof pagesOf>) =>
  (await pagesOf(...args)).map(({ url }) => new URL(url).pathname);

it('a sitemap yields its pages with their dates, without the addresses of their images', async () => {
  const base = await site({
    '/sitemap.xml': `\n<?xml version="1.0"?><s:urlset xmlns:s="x" xmlns:image="y"><!-- <url> -->
      <s:url><s:loc> BASE/a?b=1&amp;c=2 </s:loc><s:lastmod>2026-11-01</s:lastmod><image:image><image:loc>BASE/i.png</image:loc></image:image></s:url>
      <s:url><s:loc><![CDATA[BASE/b]]></s:loc></s:url><s:url><s:loc>mailto:a@b.c</s:loc></s:url><s:url/></s:urlset>`,
  });
  expect(await pagesOf(`${base}/sitemap.xml`)).toEqual([
    { url: `${base}/a?b=1&c=2`, lastmod: '2026-11-01' },
    { url: `${base}/b`, lastmod: null },
  ]);
});

it('an index yields the pages of all its sitemaps once, also of gzip and text', async () => {
  const base = await site({
    '/index.xml': indexOf('BASE/1.xml', 'BASE/2.xml.gz', '/3.txt', 'BASE/index.xml', 'BASE/1.xml'),
    '/1.xml': urlset('/a', '/b'),
    '/2.xml.gz': gzipSync(urlset('/b', '/c')),
    '/3.txt': 'BASE/d\r\n\nno address\n',
  });
  expect(await pathsOf(`${base}/index.xml`)).toEqual(['/a', '/b', '/c', '/d']);
});

it('a sitemap with small errors yields its pages', async () => {
  const base = await site({
    '/s.xml': `<urlset><url><loc>/a?x=1&y=2</loc></url><url><loc>/b</loc><br></url></urlset>`,
  });
  expect((await pathsOf(`${base}/s.xml`))[0]).toBe('/a');
});

it('an error names the sitemap that cannot be read', async () => {
  const base = await site({ '/index.xml': indexOf('/missing.xml') });
  await expect(pagesOf(`${base}/index.xml`)).rejects.toThrow(`Sitemap ${base}/missing.xml: 404 Not Found`);
});

it('the reader stops at limits: pages, files, depth, and the size of unpacked gzip', async () => {
  const base = await site({
    '/many.xml': urlset('/a', '/b', '/c'),
    '/files.xml': indexOf('/many.xml', '/other.xml'),
    ...Object.fromEntries([1, 2, 3, 4, 5].map(n => [`/${n}.xml`, indexOf(`/${n + 1}.xml`)])),
    '/bomb.xml.gz': gzipSync(Buffer.alloc(8 * 1024 * 1024, ' ')),
    '/broken.xml.gz': Buffer.from([0x1f, 0x8b, 1, 2]),
    '/laughs.xml': `<!DOCTYPE x [<!ENTITY a "${'x'.repeat(1_000)}"><!ENTITY b "&a;&a;&a;&a;">]><urlset><url><loc>/&b;</loc></url></urlset>`,
  });
  expect(await pathsOf(`${base}/many.xml`, { maxUrls: 2 })).toEqual(['/a', '/b']);
  await expect(pagesOf(`${base}/files.xml`, { maxFiles: 2 })).rejects.toThrow('more than 2 files. Raise maxFiles.');
  await expect(pagesOf(`${base}/1.xml`)).rejects.toThrow('nested deeper than 3 levels');
  const small = new HttpClient({ maxBytes: 1024 * 1024 });
  await expect(pagesOf(`${base}/bomb.xml.gz`, {}, small)).rejects.toThrow('unpacked, it is larger than 1048576 bytes');
  await expect(pagesOf(`${base}/broken.xml.gz`)).rejects.toThrow('it is not valid gzip');
  expect(String(await pathsOf(`${base}/laughs.xml`)).length).toBeLessThan(100);
});

it('a sitemap that is made to keep the parser busy ends with an error or yields its pages', async () => {
  const base = await site({
    '/deep.xml': `<urlset>${'<a>'.repeat(200_000)}${'</b>'.repeat(200_000)}`,
    '/levels.xml': `${'<a>'.repeat(48)}<url><loc>/a</loc></url>${'</b>'.repeat(200_000)}`,
    '/declaration.xml': `<urlset>< !${'x'.repeat(2_000_000)}><url><loc>/a</loc></url></urlset>`,
    '/comment.xml': `<urlset><!--${'x'.repeat(2_000_000)}--><url><loc>/a</loc></url></urlset>`,
  });
  await expect(pagesOf(`${base}/deep.xml`)).rejects.toThrow(
    `Sitemap ${base}/deep.xml: its elements are nested deeper than 50 levels.`,
  );
  for (const file of ['levels', 'declaration', 'comment']) expect(await pathsOf(`${base}/${file}.xml`)).toEqual(['/a']);
});
