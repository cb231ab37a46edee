import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDir } from '@trawl/embedded';
import { startChromium } from '../harness/chromium.js';
import { Platform } from '../harness/platform.js';
import { countIndependently, fetchPythonDocs, serveFolder } from './python-docs.js';

jest.setTimeout(600_000);

it('HTML that nobody here wrote: titles, headings and links of every page of Python’s documentation arrive in MongoDB', async () => {
  const docs = await fetchPythonDocs(cacheDir());
  if (docs.folder === null) {
    console.warn(`SKIPPED: Debian's python3-doc cannot be had here: ${docs.reason}`);
    return;
  }
  const closing: (() => Promise<void>)[] = [];
  try {
    const site = await serveFolder(docs.folder);
    closing.push(() => site.close());
    const platform = await Platform.start({}, [site.url]);
    closing.push(() => platform.close());
    const chromium = await startChromium();
    closing.push(() => chromium.close());
    const expected = await countIndependently(docs.folder, chromium.browser);
    expect(expected.size).toBeGreaterThan(100);
    const source = (name: string) => readFileSync(join('e2e/python-docs', name), 'utf8');
    const skript = await platform.skript(
      'Python documentation',
      { 'main.js': source('main.js') },
      { worker_response_timeout: JSON.parse(source('manifest.json')).worker_response_timeout },
    );

    const { status, body } = await platform.startRun(skript, { base_url: site.url, pages: [...expected.keys()] });

    expect({ status, action: body.action, error: body.error_stack }).toEqual({
      status: 200,
      action: 'end',
      error: null,
    });
    const documents = await platform.documents('python_docs');
    const stored = new Map(documents.map(({ page, title, headings, links }) => [page, { title, headings, links }]));
    expect(stored.size).toBe(expected.size);
    for (const [page, facts] of expected) expect({ page, ...stored.get(page) }).toEqual({ page, ...facts });
    expect(body.output.pages).toBe(expected.size);
  } finally {
    await Promise.all(closing.map(close => close()));
  }
});
