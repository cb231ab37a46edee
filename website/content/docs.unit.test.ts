import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PANEL_SECTIONS } from '@trawl/contracts';
import matter from 'gray-matter';

const DOCS = join(__dirname, '../docs');

/** Names of a section's pages in sidebar order. */
const sidebar = (section: string): string[] =>
  readdirSync(join(DOCS, section))
    .map(file => ({
      name: file.replace('.mdx', ''),
      position: Number(matter(readFileSync(join(DOCS, section, file), 'utf8')).data.sidebar_position),
    }))
    .sort((one, other) => one.position - other.position)
    .map(({ name }) => name);

test('each section of the documentation has its pages in the intended order', () => {
  expect(sidebar('tech')).toEqual([
    'platform-architecture',
    'workers',
    'skripts',
    'skript-execution',
    'echo-messages',
    'imports',
    'notifications',
    'several-backends',
    'monitoring',
    'limits-and-fair-shares',
    'docker-compose',
    'kubernetes',
    'echoes-in-s3',
    'operator-commands',
    'backups',
    'rotating-the-secret',
    'upgrade',
    'sizing',
    'comparison',
    'verdicts',
    'what-changed',
    'evidence',
    'replay',
  ]);
  expect(sidebar('web-panel')).toEqual([...PANEL_SECTIONS]);
  // The API section has the general pages first, then one page for each tag of the API.
  const [guides, routes] = [false, true].map(isRoutes =>
    sidebar('joint-api').filter(name => name.endsWith('-routes') === isRoutes),
  );
  expect(guides).toEqual(['index', 'errors', 'lists', 'limits', 'idempotency', 'generated-clients']);
  expect(sidebar('joint-api')).toEqual([...(guides ?? []), ...(routes ?? [])]);
  expect(sidebar('libs')).toEqual([
    'trawl-cli',
    'functionflow',
    'echo',
    'storage',
    'testing',
    'httpclient',
    'older-browser-libraries',
    'client',
    'playwright',
    'crawlee',
    'puppeteer-extra',
    'got-scraping',
  ]);
  expect(sidebar('tutorials')).toEqual(['develop-skript', 'typed-scraper', 'coming-from-older-skripts']);
  expect(sidebar('recipes')).toEqual([
    'log-in',
    'stay-logged-in',
    'javascript-page',
    'screenshot',
    'proxy',
    'proxies',
    'retry',
    'time-zone',
    'python-client',
    'typescript',
    's3-nightly',
    'crawl-a-site',
    'be-polite',
    'worker-lost',
    'from-apify',
  ]);
});

test('the documentation page of a feature that is not built yet has one line', () => {
  const short = readdirSync(DOCS, { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.mdx'))
    .map(file => [file, matter(readFileSync(join(DOCS, file), 'utf8')).content.trim()] as const)
    .filter(([, text]) => /\bnot built yet\b/.test(text));
  for (const [file, text] of short) expect([file, text.split('\n').length]).toEqual([file, 1]);
});

test('commands in the documentation use the placeholder {platform} instead of a URL', () => {
  const fixed = readdirSync(DOCS, { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.mdx'))
    .flatMap(file =>
      [...readFileSync(join(DOCS, file), 'utf8').matchAll(/```bash[^`]*```/g)].map(([code]) => [file, code] as const),
    )
    // Addresses in example.com stand for servers of the reader.
    .filter(([, code]) => /https?:\/\/(?![\w.-]*\bexample\.com)/.test(code));
  expect(fixed).toEqual([]);
});

test('every column of a table in the documentation has a heading', () => {
  const empty = readdirSync(DOCS, { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.mdx'))
    .flatMap(file =>
      [...readFileSync(join(DOCS, file), 'utf8').matchAll(/^(\|.*)\n\|[ :-]*-/gm)].map(
        ([, heads]) => [file, heads as string] as const,
      ),
    )
    .filter(([, heads]) => /\| *\|/.test(heads));
  expect(empty).toEqual([]);
});

test('every screenshot of the panel in the documentation exists for both themes and both sizes', () => {
  const shown = readdirSync(join(DOCS, 'web-panel')).flatMap(file =>
    [...readFileSync(join(DOCS, 'web-panel', file), 'utf8').matchAll(/<PanelPicture name="([^"]+)"/g)].map(
      ([, name]) => name as string,
    ),
  );
  const there = readdirSync(join(__dirname, '../static/img'));
  const needed = shown.flatMap(name =>
    ['light', 'light-phone', 'dark', 'dark-phone'].map(look => `panel-${name}-${look}.webp`),
  );
  expect(needed.filter(name => !there.includes(name))).toEqual([]);
});
