import { EventEmitter } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { deserialize, serialize } from 'bson';
import { chromiumForFile } from '../harness/browser/chromium.js';
import { countIndependently, type PageFacts, type ServedFolder, serveFolder } from './python-docs.js';

type Skript = (input: {
  base_url: string;
  pages?: string[];
}) => Promise<{ pages: number; headings: number; links: number }>;

/** Name of the global object through which @trawl/storage calls the platform. */
const STORAGE_PORT = Symbol.for('trawl.storage');

/** Pages that a parser reads correctly only if it follows the HTML standard. */
const pages: Record<string, string> = {
  'index.html': `<!doctype html><title>  A &amp; B \n&lt;x&gt; </title><h1>One<a class=headerlink href="#one">¶</a></h1>
    <p><a href=sub/unclosed.html>a<a href="comments.html#part">b<h2>Open <em>heading</h3> tail<a name=anchor>c</a>
    <a href="sub/missing.html">broken</a> <a href="https://elsewhere.invalid/x.html">out</a><a href="http://[">bad</a>`,
  'sub/unclosed.html': `<title>Unclosed</title><table><h3>Out of the table<tr><td><a HREF='../no-doctype.html'>x</a>
    <svg><title>Picture</title><a href="#in-svg"><text>s</text></a></svg></table><h6>&nbsp;six&nbsp;</h6>`,
  'comments.html': `<!doctype html><!-- <h1>no</h1><a href="no.html"> --><title>Comments</title><title>Second</title>
    <script>document.write("<h1><a href='no.html'>no</a></h1>")</script><textarea><a href=no.html></textarea>
    <noscript><h4>Without script<a href="sub/../raw.html">y</a></h4></noscript><template><h1><a href=no.html>no</a></h1></template>`,
  'no-doctype.html': `<svg><title>Only a picture has one</title></svg><h1></h1><h2>Tab\tand
    line<script>1</script></h2><a href>empty</a><a>none</a>`,
  'raw.html': `<title>Raw</title><h5>Größe 海 &copy &notit; &#x1F41F;</h5><a href=index.html>x</a>`,
};

const chromium = chromiumForFile();
let folder: string;
let site: ServedFolder;
let stored: Map<string, PageFacts>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trawl-python-docs-'));
  for (const [page, html] of Object.entries(pages)) {
    await mkdir(dirname(join(folder, page)), { recursive: true });
    await writeFile(join(folder, page), html);
  }
  site = await serveFolder(folder);
});
afterAll(async () => {
  await site.close();
  await rm(folder, { recursive: true });
});

beforeEach(() => {
  stored = new Map();
  const answer = { matched_count: 0, modified_count: 0, upserted_count: 1, upserted_id: null, name: 'index' };
  const keepPages = async ({ method, args }: { method: string; args: Uint8Array }) => {
    if (method === 'replaceOne') {
      const { page, ...facts } = deserialize(args).replacement;
      stored.set(page, facts);
    }
    return { result: serialize(answer) };
  };
  Object.assign(globalThis, { [STORAGE_PORT]: keepPages, trawl: { eventEmitter: new EventEmitter() } });
});
afterEach(() => {
  Reflect.deleteProperty(globalThis, STORAGE_PORT);
  Reflect.deleteProperty(globalThis, 'trawl');
});

function skript(): Skript {
  return require(join(__dirname, 'main.js')).default;
}

test('the skript for Python’s documentation reads invalid HTML as a browser does', async () => {
  const expected = await countIndependently(folder, chromium.browser);
  expect([...expected.keys()]).toEqual(Object.keys(pages).sort());
  await skript()({ base_url: site.url, pages: [...expected.keys()] });
  expect(stored).toEqual(expected);
});

test('without a list of pages, the skript for Python’s documentation follows links, and skips a missing page', async () => {
  const expected = await countIndependently(folder, chromium.browser);
  const { pages: count } = await skript()({ base_url: site.url });
  expect(count).toBe(5);
  expect(stored).toEqual(expected);
});

test('with a list of pages, the skript for Python’s documentation fails when a page is missing', async () => {
  await expect(skript()({ base_url: site.url, pages: ['gone.html'] })).rejects.toThrow('404');
});
