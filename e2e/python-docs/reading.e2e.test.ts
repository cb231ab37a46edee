import { EventEmitter } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { EJSON } from 'bson';
import type { Browser } from 'puppeteer-core';
import { startChromium } from '../harness/chromium.js';
import { countIndependently, type PageFacts, type ServedFolder, serveFolder } from './python-docs.js';

// A cold Chromium or a busy machine takes its time.
jest.setTimeout(60_000);

type Skript = (input: {
  base_url: string;
  pages?: string[];
}) => Promise<{ pages: number; headings: number; links: number }>;

/** The run's port to the platform; see packages/storage. */
const PORT = Symbol.for('trawl.storage');

/** Pages on which a parser that does not follow the HTML standard goes wrong. */
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

let browser: Browser;
let closeBrowser: () => Promise<void>;
let folder: string;
let site: ServedFolder;
let stored: Map<string, PageFacts>;

beforeAll(async () => {
  ({ browser, close: closeBrowser } = await startChromium());
  folder = await mkdtemp(join(tmpdir(), 'trawl-python-docs-'));
  for (const [page, html] of Object.entries(pages)) {
    await mkdir(dirname(join(folder, page)), { recursive: true });
    await writeFile(join(folder, page), html);
  }
  site = await serveFolder(folder);
});
afterAll(async () => {
  await site.close();
  await closeBrowser();
  await rm(folder, { recursive: true });
});

beforeEach(() => {
  stored = new Map();
  const answer = { matched_count: 0, modified_count: 0, upserted_count: 1, upserted_id: null, name: 'index' };
  const keepPages = async ({ method, args }: { method: string; args: string }): Promise<{ result: string }> => {
    if (method === 'replaceOne') {
      const { page, ...facts } = EJSON.parse(args, { relaxed: true }).replacement;
      stored.set(page, facts);
    }
    return { result: EJSON.stringify(answer) };
  };
  Object.assign(globalThis, { [PORT]: keepPages, trawl: { eventEmitter: new EventEmitter() } });
});
afterEach(() => {
  Reflect.deleteProperty(globalThis, PORT);
  Reflect.deleteProperty(globalThis, 'trawl');
});

function skript(): Skript {
  return require(join(__dirname, 'main.js')).default;
}

test('the skript reads pages, however badly written, as the browser does', async () => {
  const truth = await countIndependently(folder, browser);
  expect([...truth.keys()]).toEqual(Object.keys(pages).sort());
  await skript()({ base_url: site.url, pages: [...truth.keys()] });
  expect(stored).toEqual(truth);
});

test('without a list of pages it finds them by their links, and passes over one that is not there', async () => {
  const truth = await countIndependently(folder, browser);
  const { pages: count } = await skript()({ base_url: site.url });
  expect(count).toBe(5);
  expect(stored).toEqual(truth);
});

test('a page that was asked for and is not there ends the run', async () => {
  await expect(skript()({ base_url: site.url, pages: ['gone.html'] })).rejects.toThrow('404');
});
