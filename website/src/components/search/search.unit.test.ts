import { entriesOf } from '../../plugins/search-index';
import { markedParts, searchIn } from './search';

const html = `<html><head><title>Runs | Trawl</title></head><body><nav>Menu</nav><main><article>
  <div class="theme-doc-markdown"><h1>Runs</h1><p>A run has an <code>error_code</code>.</p>
  <h2 id="stop">Stopping<a class="hash-link" href="#stop">link</a></h2><p>After 2 s the <b>process</b> is killed.</p>
  <table><thead><tr><th>Heading of a column</th></tr></thead></table><div data-whole="false"><pre>a skript</pre></div>
  <details><summary>Answer</summary>secret words</details>
  <h3 id="pause">Pausing</h3><ul><li>Not</li><li>there</li></ul></div></article></main></body></html>`;

const entries = entriesOf('/docs/runs', html);

test('a page is cut at its headings, without what is not its text', () => {
  expect(entries).toEqual([
    { to: '/docs/runs', page: 'Runs', heading: 'Runs', text: 'A run has an error_code.' },
    { to: '/docs/runs#stop', page: 'Runs', heading: 'Stopping', text: 'After 2 s the process is killed.' },
    { to: '/docs/runs#pause', page: 'Runs', heading: 'Pausing', text: 'Not there' },
  ]);
});

test('search finds beginnings of words, parts of names and slips of the hand', () => {
  const search = searchIn(entries);
  const found = (query: string) => search(query).map(({ heading }) => heading);
  expect(found('proc kill')).toEqual(['Stopping']);
  expect(found('error_code')).toEqual(['Runs']);
  expect(found('Stoping')).toEqual(['Stopping']);
  expect(found('killed elephants')).toEqual(['Stopping']);
  expect(found('elephants')).toEqual([]);
});

test('what was found is marked, whatever signs it has', () => {
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

test('an excerpt begins near the first word that was found and ends between words', () => {
  const text = `${'long '.repeat(60)}herring ${'tail '.repeat(60)}`;
  const [hit] = searchIn([{ to: '/', page: 'Fish', heading: 'Fish', text }])('herring');
  expect(hit?.excerpt).toMatch(/^… (long )+herring (tail )+/);
  expect(hit?.excerpt).toMatch(/ tail …$/);
});
