import { load } from 'cheerio';
import { type SearchEntry, searchEntries } from '../../plugins/output/search-index';
import { markedParts, searchIn } from './search';

const html = `<html><head><title>Runs of skripts | Trawl</title><meta name="keywords" content="trip,voyage">
  <meta name="description" content="What a run is."></head><body><nav>Menu</nav><main><article>
  <div class="theme-doc-markdown"><h1>Running them</h1><p>A run has an <code>error_code</code>.</p>
  <h2>Beginning</h2><p><span>Click</span><b>Run</b></p><pre><i>a</i><i>b</i></pre>
  <h2 id="stop">Stop<code>ping</code><a class="hash-link" href="#stop">link</a></h2><p>After 2 s the <b>process</b> is killed.</p>
  <table><thead><tr><th>Heading of a column</th></tr></thead></table><p hidden>not shown</p><div data-whole="false"><pre>a skript</pre></div>
  <details><summary>When not?</summary>While it waits.</details><details data-whole="true"><pre>an answer</pre></details>
  <h3 id="pause">Pausing</h3><ul><li>Not</li><li>there</li></ul><h2>The end</h2><p>Last</p>
  <details><summary><h2>Limits</h2></summary><section id="limits"><p>At most ten.</p></section></details></div></article></main></body></html>`;

const entries = searchEntries('/docs/runs', load(html), 'Runs');

test('the search index splits a page at headings with anchors, with their folds, and leaves out navigation and code', () => {
  const part = { isPage: false, page: 'Runs' };
  expect(entries).toEqual([
    {
      to: '/docs/runs',
      isPage: true,
      page: 'Runs',
      heading: 'Runs',
      text: 'Running them A run has an error_code. Beginning Click Run ab The end Last',
      aliases: 'Runs of skripts, trip,voyage',
      description: 'What a run is.',
    },
    {
      ...part,
      to: '/docs/runs#stop',
      heading: 'Stopping',
      text: 'After 2 s the process is killed. When not? While it waits.',
    },
    { ...part, to: '/docs/runs#pause', heading: 'Pausing', text: 'Not there' },
    { ...part, to: '/docs/runs#limits', heading: 'Limits', text: 'At most ten.' },
  ]);
  expect(searchEntries('/docs/runs', load(html))[0]?.page).toBe('Runs of skripts');
});

test('the website’s search finds a page by title and keywords, and shows its description', () => {
  const search = searchIn(entries);
  expect(search('voyage').map(({ to, excerpt }) => [to, excerpt])).toEqual([['/docs/runs', 'What a run is.']]);
  expect(search('skripts')[0]?.to).toBe('/docs/runs');
});

test('the website’s search finds prefixes of words, parts of identifiers, and words with typos', () => {
  const search = searchIn(entries);
  const found = (query: string) => search(query).map(({ heading }) => heading);
  expect(found('proc kill')).toEqual(['Stopping']);
  expect(found('error_code')).toEqual(['Runs']);
  expect(found('Stoping')).toEqual(['Stopping']);
  expect(found('killed elephants')).toEqual(['Stopping']);
  expect(found('elephants')).toEqual([]);
});

test('the website’s search ranks words in headings, aliases and page names above words in texts', () => {
  const about = (to: string, words: Partial<SearchEntry>): SearchEntry => ({
    to,
    isPage: false,
    page: '',
    heading: '',
    text: '',
    ...words,
  });
  const found = (...candidates: SearchEntry[]) => searchIn(candidates)('worker').map(({ to }) => to);
  const text = 'Words of which there are more than in a name.';
  const inText = about('/text', { text: 'A worker worker' });
  const inPage = about('/page', { page: 'All that a worker does', text });
  const inAliases = about('/aliases', { aliases: 'All that a worker does', text });
  const inHeading = about('/heading', { heading: 'All that a worker does', text });
  expect(found(inText, inPage, inAliases, inHeading)).toEqual(['/heading', '/aliases', '/page', '/text']);
  const part = about('/part', { text: 'A worker runs' });
  const page = about('/whole', { isPage: true, text: 'A worker runs skripts' });
  expect(found(part, page)).toEqual(['/whole', '/part']);
});

test('the website’s search ignores the small words of a question, and ranks pages that explain above routes', () => {
  const page = (to: string, heading: string): SearchEntry => ({ to, isPage: true, page: heading, heading, text: '' });
  const search = searchIn([
    page('/docs/joint-api/debug-routes', 'Debug'),
    page('/docs/how-it-is-made', 'How I do what is in the platform'),
    page('/docs/debug', 'Debug'),
  ]);
  expect(search('How do I debug').map(({ to }) => to)).toEqual(['/docs/debug', '/docs/joint-api/debug-routes']);
});

test('the website’s search returns at most 12 hits', () => {
  const many = Array.from({ length: 30 }, (_, place) => ({
    to: `/${place}`,
    isPage: true,
    page: 'Workers',
    heading: 'Workers',
    text: 'worker',
  }));
  expect(searchIn(many)('worker')).toHaveLength(12);
});

test('the website’s search marks matches, also of words with special characters', () => {
  expect(markedParts('The process (c++) is a process', ['process'])).toEqual([
    'The ',
    'process',
    ' (c++) is a ',
    'process',
    '',
  ]);
  expect(markedParts('a\\>\\< b', ['a\\>\\<', 'b'])).toEqual(['', 'a\\>\\<', ' ', 'b', '']);
  expect(markedParts('nothing', [])).toEqual(['nothing']);
});

test('an excerpt in the website’s search starts near the first match, and ends between words', () => {
  const text = `${'long '.repeat(60)}herring ${'tail '.repeat(60)}`;
  const [hit] = searchIn([{ to: '/', isPage: true, page: 'Fish', heading: 'Fish', text }])('herring');
  expect(hit?.excerpt).toMatch(/^… (long ){5,8}herring (tail )+…$/);
});
