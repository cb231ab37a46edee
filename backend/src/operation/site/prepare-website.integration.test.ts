import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { SITE_PLACEHOLDERS } from '@trawl/contracts';
import { load } from 'cheerio/slim';
import { prepareWebsite } from './prepare-website.js';

const { publicUrl, email, operator } = SITE_PLACEHOLDERS;
const PAGE = `<title>${'Trawl '.repeat(200)}</title><link rel=canonical href=${publicUrl}/docs><script src=/assets/js/main.1a2b3c4d.js></script>
<p data-operator="${operator}">Operated by ${operator}</p><a href=mailto:${email}>${email}</a>`;
const FILES = {
  'index.html': PAGE,
  'small.html': publicUrl,
  'assets/js/main.1a2b3c4d.js': `globalThis.site = { url: "${publicUrl}", operator: '${operator}', map: {7:"0f0f0f0f"} };`,
  'assets/js/page.0f0f0f0f.js': 'globalThis.page = 1;',
  'search-index.json': JSON.stringify([{ text: `Write to ${email}. ${operator}` }]),
  'docs/page.md': `curl ${publicUrl}/ip`,
  'sitemap.xml': `<loc>${publicUrl}/</loc>`,
  'img/picture.webp': '\u0000picture',
  'source.tar.gz': '\u0000archive',
};
const SETTINGS = {
  publicUrl: 'https://trawl.example.com',
  siteEmail: "o'hara@example.com",
  siteOperator: `Morrow & "Daughters" 'Ltd' \\ </script> \`\${1}\` $& Çelik`,
};

let folder: string;
let websiteDir: string;
let dataDir: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trawl-website-'));
  [websiteDir, dataDir] = [join(folder, 'build'), join(folder, 'data')];
  for (const [name, content] of Object.entries(FILES)) write(join(websiteDir, name), content);
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (path: string, content: string) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
};
const prepare = async (settings: Partial<typeof SETTINGS> = {}) =>
  String(await prepareWebsite({ ...SETTINGS, ...settings, websiteDir, dataDir }));
const read = (dir: string, name: string) => readFileSync(join(dir, name), 'utf8');
const scriptOf = (dir: string) => String(load(read(dir, 'index.html'))('script').attr('src'));

test('the prepared website has the settings in its pages, scripts and texts, whatever characters they contain', async () => {
  const dir = await prepare();
  const $ = load(read(dir, 'index.html'));
  expect($('link').attr('href')).toBe('https://trawl.example.com/docs');
  expect([$('p').attr('data-operator'), $('p').text()]).toEqual([
    SETTINGS.siteOperator,
    `Operated by ${SETTINGS.siteOperator}`,
  ]);
  expect([$('a').attr('href'), $('a').text()]).toEqual([`mailto:${SETTINGS.siteEmail}`, SETTINGS.siteEmail]);
  const { site } = new Function(`const globalThis = {}; ${read(dir, scriptOf(dir))} return globalThis;`)();
  expect(site).toMatchObject({ url: SETTINGS.publicUrl, operator: SETTINGS.siteOperator });
  expect(JSON.parse(read(dir, 'search-index.json'))[0].text).toBe(
    `Write to ${SETTINGS.siteEmail}. ${SETTINGS.siteOperator}`,
  );
  expect(read(dir, 'docs/page.md')).toBe('curl https://trawl.example.com/ip');
  expect(read(dir, 'sitemap.xml')).toBe('<loc>https://trawl.example.com/</loc>');
  for (const name of ['img/picture.webp', 'source.tar.gz'] as const) expect(read(dir, name)).toBe(FILES[name]);
});

test('the prepared website has compressed files beside its large text files, and beside no others', async () => {
  const dir = await prepare();
  const page = read(dir, 'index.html');
  expect(brotliDecompressSync(readFileSync(join(dir, 'index.html.br'))).toString()).toBe(page);
  expect(gunzipSync(readFileSync(join(dir, 'index.html.gz'))).toString()).toBe(page);
  const compressed = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter(name => /\.(br|gz)$/.test(name));
  expect(compressed.sort()).toEqual(['index.html.br', 'index.html.gz', 'source.tar.gz']);
});

test('the files that the home page loads are compressed more than other files', async () => {
  const script = Array.from({ length: 5000 }, (_, line) => `globalThis.value${line} = ${Math.sqrt(line)};`).join('\n');
  write(join(websiteDir, 'assets/js/main.1a2b3c4d.js'), script);
  write(join(websiteDir, 'assets/js/page.0f0f0f0f.js'), script);
  const dir = await prepare();
  const sizes = readdirSync(join(dir, 'assets/js'))
    .filter(name => name.endsWith('.br'))
    .sort()
    .map(name => statSync(join(dir, 'assets/js', name)).size);
  expect(sizes).toHaveLength(2);
  expect(Number(sizes[0])).toBeLessThan(0.9 * Number(sizes[1]));
});

test('scripts of the prepared website get other names for other settings, and pages refer to these names', async () => {
  const [one, other] = [await prepare(), await prepare({ siteOperator: 'Somebody else' })];
  expect(scriptOf(one)).not.toBe(scriptOf(other));
  for (const dir of [one, other]) {
    const hash = /"([0-9a-f]{8})"/.exec(read(dir, scriptOf(dir)))?.[1];
    expect(read(dir, `assets/js/page.${hash}.js`)).toBe(FILES['assets/js/page.0f0f0f0f.js']);
  }
});

test('a start with the same settings reuses the folder of the website, and a new build gets a new folder', async () => {
  const first = await prepare();
  const { ino } = statSync(join(first, 'index.html'));
  expect(await Promise.all([prepare(), prepare()])).toEqual([first, first]);
  expect(statSync(join(first, 'index.html')).ino).toBe(ino);
  write(join(websiteDir, 'docs/page.md'), 'new');
  expect(read(await prepare(), 'docs/page.md')).toBe('new');
});

test('backends that start at the same time create one folder for the website', async () => {
  const folders = await Promise.all([prepare(), prepare(), prepare()]);
  expect(new Set(folders).size).toBe(1);
  expect(readdirSync(join(dataDir, 'website'))).toHaveLength(1);
});

test('a start removes folders of the website that no backend has used lately', async () => {
  const old = [];
  for (const name of ['a', 'b', 'c', 'd']) old.push(await prepare({ siteOperator: name }));
  for (const dir of old) utimesSync(dir, 0, 0);
  const now = await prepare();
  const left = readdirSync(join(dataDir, 'website')).map(name => join(dataDir, 'website', name));
  expect(left).toHaveLength(3);
  expect(left).toContain(now);
});

test('without a build of the website, nothing is prepared', async () => {
  rmSync(websiteDir, { recursive: true });
  expect(await prepareWebsite({ ...SETTINGS, websiteDir, dataDir })).toBe(null);
});
