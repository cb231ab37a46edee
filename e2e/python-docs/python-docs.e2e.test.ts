import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDir } from '@trawl/embedded';
import { chromiumForFile } from '../harness/browser/chromium.js';
import { sharedPlatform } from '../harness/shared-platform.js';
import { countIndependently, fetchPythonDocs, pagesIn, serveFolder } from './python-docs.js';

const MAX_RUN_MS = 500_000;
jest.setTimeout(600_000);

/** `npm test` reads every twelfth page, from one that the seed chooses; `npm run test:full` reads all of them. */
const SAMPLE = 12;

const platform = sharedPlatform();
const chromium = chromiumForFile();

it('a skript stores the titles, headings and links of Python’s documentation in MongoDB as a browser reads them', async () => {
  const docs = await fetchPythonDocs(cacheDir());
  if (docs.folder === null) {
    console.warn(`SKIPPED: Debian's python3-doc is not available here: ${docs.reason}`);
    return;
  }
  const site = await serveFolder(docs.folder, await platform.reservedPort());
  try {
    const pages = (await pagesIn(docs.folder)).filter((_, index) => isFullTest || index % SAMPLE === testSeed % SAMPLE);
    expect(pages.length).toBeGreaterThan(isFullTest ? 400 : 30);
    const source = (name: string) => readFileSync(join('e2e/python-docs', name), 'utf8');
    const skript = await platform.skript(
      'Python documentation',
      { 'main.js': source('main.js') },
      { worker_response_timeout: JSON.parse(source('manifest.json')).worker_response_timeout },
    );

    const [expected, { action, error_stack, output }] = await Promise.all([
      countIndependently(docs.folder, chromium.browser, pages),
      platform.ended(await platform.begin(skript, { base_url: site.url, pages }), MAX_RUN_MS),
    ]);

    expect({ action, error_stack }).toEqual({ action: 'end', error_stack: null });
    const documents = await platform.documents('python_docs');
    const stored = new Map(documents.map(({ page, title, headings, links }) => [page, { title, headings, links }]));
    expect(stored.size).toBe(expected.size);
    for (const [page, facts] of expected) expect({ page, ...stored.get(page) }).toEqual({ page, ...facts });
    expect(output.pages).toBe(expected.size);
  } finally {
    await site.close();
  }
});
