import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { load } from 'cheerio';
import { feedOf, readReleases } from './changelog';

const MARKDOWN = `# Changelog

Text before the versions.

## 1.1.0 – 2026-02-15

### New

- A \`<b>\` & [a page](docs/tech/upgrade.mdx).

## 1.0.0

- The first.
`;

test('the changelog page has a section for each version, with its date and safe HTML', () => {
  const [newest, first] = readReleases(MARKDOWN);
  expect(newest).toMatchObject({ anchor: 'v1.1.0', version: '1.1.0', date: '2026-02-15' });
  expect(newest?.html).toContain('<h3>New</h3>');
  expect(newest?.html).toContain('<code>&lt;b&gt;</code> &amp; <a');
  expect(first).toMatchObject({ version: '1.0.0', date: null });
});

test('the feed of the changelog has an item for each version, which leads to its section', () => {
  const $ = load(feedOf(readReleases(MARKDOWN), 'https://trawl.example.com'), { xml: true });
  expect(
    $('item > title')
      .toArray()
      .map(title => $(title).text()),
  ).toEqual(['Trawl 1.1.0', 'Trawl 1.0.0']);
  expect($('item > link').first().text()).toBe('https://trawl.example.com/changelog#v1.1.0');
  expect($('item > pubDate').first().text()).toBe('Sun, 15 Feb 2026 00:00:00 GMT');
  expect($('item > description').first().text()).toContain('<h3>New</h3>');
});

test('every version in CHANGELOG.md has a section and content on the changelog page', () => {
  const releases = readReleases(readFileSync(resolve(__dirname, '../../../../CHANGELOG.md'), 'utf8'));
  expect(releases.length).toBeGreaterThan(1);
  for (const { version, date, html } of releases) {
    expect([version, date ?? '2026-01-01']).toEqual([
      expect.stringMatching(/^\d+\.\d+\.\d+/),
      expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    ]);
    expect(html).toContain('<li>');
  }
});
