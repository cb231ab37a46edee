import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { RUN_ERRORS } from '@trawl/contracts';
import { Route, Routes } from 'react-router';
import type { Execution } from '../../api/entities.js';
import { run } from '../../test-run.js';
import { listOf, press, type Served, sent, showScreen } from '../../test-screen.js';
import SkriptExecutionRoute from './skript-execution.route.js';

const VERSION = `GET /joint-api/skripts/s/versions/${'a'.repeat(64)}`;
const LIST = 'GET /joint-api/skript-execution/list';
const NOTHING = { inserted: 0, updated: 0, deleted: 0 };
const ENDED: Partial<Execution> = {
  action: 'end',
  started_at: '2026-01-01T00:00:03.000Z',
  ended_at: '2026-01-01T00:01:08.500Z',
  writes: [],
};

/** Shows the page of a run. `good` is the last good run before it. */
function show(execution: Execution, { tab = '', good, ...served }: ShowOptions = {}) {
  showScreen(
    <Routes>
      <Route path="skript-executions/:executionId" element={<SkriptExecutionRoute />} />
    </Routes>,
    {
      'GET /joint-api/skript-execution/first': { body: execution },
      'GET /joint-api/skript-execution/good': { body: good },
      'GET /joint-api/skript-execution/latest-by-skript': { body: { items: [] } },
      'GET /joint-api/echoes/first/list': {
        body: { items: [], total: 0, next_after_seq: null, next_before_seq: null },
      },
      'GET /joint-api/mongo-databases/list': listOf({ id: 'd1', name: 'main' }, { id: 'd2', name: 'shop' }),
      [VERSION]: { body: { files: [{ name: 'main.js', size: 41, content: '' }] } },
      [LIST]: ({ call }) => (call.includes('action=end') && good ? listOf(good) : listOf()),
      ...(served as Record<string, Served>),
    },
    `/developer/skript-executions/first${tab && `?tab=${tab}`}`,
  );
}

interface ShowOptions {
  tab?: string;
  good?: Execution;
  [call: string]: unknown;
}

const hrefOf = (name: string) => screen.getByRole('link', { name }).getAttribute('href');
const comparisonHref = async () => {
  await press('More for this run');
  return (await screen.findByRole('menuitem', { name: 'Compare with another run' })).getAttribute('href');
};
const calls = () => sent.map(({ call }) => call);
const saved: string[] = [];

beforeEach(() => {
  saved.length = 0;
  jest.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    saved.push(this.download);
  });
  Object.assign(URL, { createObjectURL: () => 'blob:x', revokeObjectURL: () => {} });
});
afterEach(() => jest.restoreAllMocks());

it('the page of a run has grey blocks for its facts, tabs and content while it loads', async () => {
  let answer = (_: { body: Execution }) => {};
  const asked = new Promise<{ body: Execution }>(resolve => {
    answer = resolve;
  });
  show(run(ENDED), { 'GET /joint-api/skript-execution/first': () => asked });
  expect(screen.getByText('Loading the run').parentElement?.getAttribute('aria-busy')).toBe('true');
  expect(document.querySelectorAll('.mantine-Skeleton-root')).toHaveLength(6 + 7 + 8);
  await act(async () => answer({ body: run(ENDED) }));
  expect(await screen.findByRole('region', { name: 'Summary' })).toBeTruthy();
  expect(screen.queryByText('Loading the run')).toBeNull();
});

it('the page of a run names its state, duration, version, worker, rows and attempt in one line', async () => {
  const worker = { id: 'w', name: 'paris-1' };
  const second = run({ ...ENDED, worker, rows: 1240, attempt: 2, retry_of: 'zeroth', version_number: 14 });
  const good = run({ ...ENDED, id: 'good', rows: 1243 });
  show(second, {
    good,
    'GET /joint-api/skript-execution/zeroth': { body: run({ id: 'zeroth', action: 'error' }) },
    [LIST]: ({ call }: { call: string }) => (call.includes('retry_of=zeroth') ? listOf(second) : listOf(good)),
  });
  const summary = await screen.findByRole('region', { name: 'Summary' });
  await waitFor(() => expect(summary.textContent).toContain('2 of 2'));
  await waitFor(() => expect(summary.textContent).toContain('−3'));
  const facts = within(summary)
    .getAllByRole('term')
    .map(term => [term.textContent, term.nextElementSibling?.textContent]);
  expect(facts.slice(0, 6)).toEqual([
    ['Status', 'completed'],
    ['Duration', '1 min 5 s'],
    ['Version', '14'],
    ['Worker', 'paris-1'],
    ['Rows', '1,240−3 compared with the last good run'],
    ['Attempt', '2 of 2'],
  ]);
  expect([hrefOf('paris-1'), hrefOf('14'), hrefOf('Open the skript')]).toEqual([
    '/developer/workers?worker_id=w',
    `/developer/skripts/s?version=${'a'.repeat(64)}`,
    '/developer/skripts/s',
  ]);
  expect(await comparisonHref()).toBe('/developer/skript-executions/compare?one=first&other=good');
});

it('the first good run of a skript is not compared with itself', async () => {
  const first = run({ ...ENDED, rows: 60 });
  show(first, { [LIST]: listOf(first) });
  const summary = await screen.findByRole('region', { name: 'Summary' });
  await waitFor(() => expect(calls().some(call => call.includes('created_to='))).toBe(true));
  await act(async () => undefined);
  expect(summary.textContent).toContain('Rows60');
  expect(summary.textContent).not.toContain('±0');
  expect(await comparisonHref()).toBe('/developer/skript-executions/compare?one=first');
});

it('the page of a run has a tab for echoes, rows, changes, what it saw, output, files and details, and keeps the tab in its address', async () => {
  show(run({ ...ENDED, output: { title: 'Emma' } }));
  const tab = async (name: string) => act(async () => fireEvent.click(await screen.findByRole('tab', { name })));
  expect((await screen.findAllByRole('tab')).map(({ textContent }) => textContent)).toEqual([
    'Echoes',
    'Rows',
    'Changes',
    'What it saw',
    'Output',
    'Files',
    'Details',
  ]);
  expect(await screen.findByText('This run saved no echoes.')).toBeTruthy();
  await tab('Rows');
  expect(await screen.findByText('This run stored no rows')).toBeTruthy();
  await tab('Output');
  expect(screen.getByRole('region', { name: 'Output' }).textContent).toContain('Emma');
  await tab('Files');
  expect((await screen.findByRole('link', { name: 'main.js' })).getAttribute('href')).toBe(
    `/developer/skripts/s?version=${'a'.repeat(64)}&file=main.js`,
  );
  await tab('Details');
  expect(screen.getByRole('region', { name: 'Details' }).textContent).toContain('Run ID');
});

describe('a failed run', () => {
  const STACK =
    'TypeError: x is null\n    at get (axios/index.js:1:1)\n    at parse (lib/parse.js:2:15)\n    at main.js:5:9';
  const files = ['main.js', 'lib/parse.js'].map(name => ({ name, size: 1, content: '' }));
  const failed = (error_stack: string | null, error_code: Execution['error_code'] = 'exception') =>
    show(run({ ...ENDED, action: 'error', error_code, error_stack }), { [VERSION]: { body: { files } } });
  const error = () => screen.findByRole('region', { name: 'Error' });

  it('has its own message as heading, and a button to the first frame of the skript; frames of libraries are text', async () => {
    failed(STACK);
    expect(await screen.findByRole('heading', { name: 'TypeError: x is null' })).toBeTruthy();
    const button = await screen.findByRole('link', { name: 'Open lib/parse.js:2' });
    const [path, query] = button.getAttribute('href')?.split('?') ?? [];
    expect([path, Object.fromEntries(new URLSearchParams(query))]).toEqual([
      '/developer/skripts/s',
      { file: 'lib/parse.js', line: '2', column: '15', version: 'a'.repeat(64), execution_id: 'first' },
    ]);
    const links = within(await error()).getAllByRole('link');
    expect(links.map(({ textContent }) => textContent)).toEqual([
      'Open lib/parse.js:2',
      'lib/parse.js:2:15',
      'main.js:5:9',
    ]);
  });

  it('offers to find rows on its pages if an earlier run has stored rows', async () => {
    const failure = run({ ...ENDED, action: 'error', error_code: 'exception', error_stack: STACK });
    const rowSelectors = { row: null, fields: [], pages: 0, reason: 'Trawl has kept no pages of this run.' };
    show(failure, {
      good: run({ ...ENDED, id: 'good', rows: 60 }),
      'GET /joint-api/skript-execution/first/row-selectors': { body: rowSelectors },
    });
    await press('Where did the rows go?');
    expect(await screen.findByText(rowSelectors.reason)).toBeTruthy();
  });

  it('shows the rest of a long message, then the meaning of the error code, then the trace', async () => {
    failed('Error: no price\nin row 12\n    at main.js:5:9');
    const text = await screen.findByRole('region', { name: 'Text of the error' });
    expect(text.textContent).toBe('Error: no price\nin row 12exception The skript threw an error.    at main.js:5:9');
  });

  it('has the meaning of its error code as heading if the error has no text', async () => {
    failed(null, 'worker_lost');
    expect(await screen.findByRole('heading', { name: RUN_ERRORS.worker_lost })).toBeTruthy();
    expect(calls().some(call => call.includes('/versions/'))).toBe(false);
  });
});

it('a failed run is compared with the last good version by the version that it ran', async () => {
  const [first, good] = ['b'.repeat(64), 'c'.repeat(64)];
  const issue = {
    id: 'i1',
    runs: 2,
    first_version: first,
    first_version_number: 2,
    first_seen_at: '2026-01-01T00:00:00.000Z',
  };
  show(run({ ...ENDED, action: 'error', error_code: 'exception', issue_id: 'i1' }), {
    good: run({ ...ENDED, id: 'good', bundle_hash: good }),
    'GET /joint-api/issues/i1': { body: issue },
  });
  expect(await screen.findByRole('link', { name: 'version 2' })).toBeTruthy();
  const link = await screen.findByRole('link', { name: 'See what changed' });
  const query = new URLSearchParams(link.getAttribute('href')?.split('?')[1]);
  expect([query.get('from'), query.get('to')]).toEqual([good, 'a'.repeat(64)]);
});

it('a live run says that it has echoed no images yet, and shows those that it echoes', async () => {
  const items: object[] = [];
  show(run(), {
    tab: 'files',
    'GET /joint-api/echoes/first/list': () => ({ body: { items, total: items.length, next_after_seq: null } }),
  });
  expect(await screen.findByText(/has echoed no images yet/)).toBeTruthy();
  items.push({ seq: 1, type: 'image', msg: 'data:image/png;base64,AA==', time: '2026-01-01T00:00:04.000Z' });
  expect(await screen.findByRole('img', { name: 'Echo 1' })).toBeTruthy();
});

describe('the rows of a run', () => {
  const write = (name: string | null, more: object) =>
    ({ store: 'mongodb', database: null, name, ...NOTHING, ...more }) as NonNullable<Execution['writes']>[number];
  const documents = (name: string, ...items: object[]) => ({
    [`GET /joint-api/mongo/${name}/list`]: listOf(...items),
  });
  const filterOf = (path: string) => {
    const call = calls().findLast(one => one.startsWith(`GET /joint-api/mongo/${path}/list`));
    const filter = new URL(call?.slice(4) ?? '', 'http://x').searchParams.get('filter');
    return filter && JSON.parse(filter);
  };
  const count = (name: RegExp) => screen.findByRole('button', { name });

  it('of the dataset are those with its id, without the fields that Trawl adds', async () => {
    show(run({ ...ENDED, rows: 2 }), {
      tab: 'rows',
      good: run({ ...ENDED, id: 'good', rows: 5 }),
      ...documents('d1/dataset_s', { _id: 'x', _run: 'first', _at: '2026', title: 'Emma', price: 9 }),
    });
    await screen.findByText('Emma');
    expect(screen.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual([
      'title',
      'price',
      '_at',
      'JSON',
    ]);
    expect(filterOf('d1/dataset_s')).toEqual({ _run: 'first' });
    expect((await count(/^Dataset/)).textContent).toContain('2 −3');
  });

  it('can be exported with one click on the page of the run', async () => {
    show(run({ ...ENDED, rows: 2 }), { 'GET /joint-api/skript-execution/first/rows/export': { body: [] } });
    await press('Export rows');
    await waitFor(() => expect(saved).toEqual(['rows-first.csv']));
  });

  it('of a collection are the documents that were added while the run ran, of each target on its own', async () => {
    const writes = [
      write('books', { inserted: 3, updated: 4 }),
      write('a/b', { database: 'shop', updated: 1 }),
      write('c', { database: 'gone', inserted: 1 }),
      write(null, { store: 'postgresql', inserted: 5 }),
    ];
    show(run({ ...ENDED, writes }), {
      tab: 'rows',
      ...documents('d1/books', { _id: 'x', title: 'Emma' }),
      ...documents('d2/a%2Fb', { _id: 'y', title: 'Sails' }),
      'GET /joint-api/mongo/d1/books/export': { body: [] },
    });
    await screen.findByText('Emma');
    expect(filterOf('d1/books')).toEqual({
      _id: { $gte: { $oid: '6955b903'.padEnd(24, '0') }, $lt: { $oid: '6955b945'.padEnd(24, '0') } },
    });
    expect(screen.getByText(/3 inserted, 4 updated/)).toBeTruthy();
    expect(screen.getByText(/Documents that the run updated are missing here/)).toBeTruthy();
    await press('Download CSV');
    expect(saved).toEqual(['books-first.csv']);
    expect(decodeURIComponent(calls().at(-1) ?? '')).toContain('/joint-api/mongo/d1/books/export?filter={"_id"');

    await press(/^a\/b/);
    await screen.findByText('Sails');
    expect(filterOf('d2/a%2Fb')).toBeNull();
    expect(screen.getByText(/a document does not say which run has updated it/)).toBeTruthy();
    await press(/^c/);
    expect(await screen.findByText('This database is gone')).toBeTruthy();
    await press(/^Statements of postgres.query/);
    expect(await screen.findByText('5 inserted, but Trawl does not know where')).toBeTruthy();
  });

  it('of a table begin with the highest key', async () => {
    const column = { type: 'integer', nullable: false, default: null };
    show(run({ ...ENDED, writes: [write('sales.eu.prices', { store: 'postgresql', inserted: 2 })] }), {
      tab: 'rows',
      'GET /joint-api/postgres-tables/prices': {
        body: {
          schema: 'sales.eu',
          name: 'prices',
          columns: [
            { ...column, name: 'id', primary_key: true },
            { ...column, name: 'price', primary_key: false },
          ],
        },
      },
      'GET /joint-api/postgres-tables/prices/rows': listOf({ id: 7, price: 12 }),
      'GET /joint-api/postgres-tables/prices/export': { body: [] },
    });
    await screen.findByText('12');
    const read = calls().find(call => call.includes('/prices/rows'));
    expect(new URL(read?.slice(4) ?? '', 'http://x').search).toContain('schema=sales.eu');
    expect(read).toContain('sort=-id');
    expect(screen.getByText(/those with the highest key first/)).toBeTruthy();
    // Nothing in a row tells which run wrote it, so these are the rows of all runs.
    expect(screen.queryByRole('button', { name: 'Export rows' })).toBeNull();
    await press('Download CSV');
    expect(calls().at(-1)).toBe('GET /joint-api/postgres-tables/prices/export?schema=sales.eu');
    expect(saved).toEqual(['sales.eu.prices.csv']);
  });

  it('of a table without a key are in no order', async () => {
    const column = { name: 'price', type: 'integer', nullable: false, default: null, primary_key: false };
    show(run({ ...ENDED, writes: [write('prices', { store: 'postgresql', inserted: 2 })] }), {
      tab: 'rows',
      'GET /joint-api/postgres-tables/prices': { body: { schema: 'public', name: 'prices', columns: [column] } },
      'GET /joint-api/postgres-tables/prices/rows': listOf({ price: 12 }),
    });
    expect(await screen.findByText(/All rows of the table: a row does not say which run wrote it/)).toBeTruthy();
  });

  it('say how many the last good run stored where this run stored none', async () => {
    show(run({ ...ENDED }), { tab: 'rows', good: run({ ...ENDED, id: 'good', rows: 5000 }) });
    expect(await screen.findByText(/The last good run stored 5,000 here/)).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Export rows' })).toBeNull();
  });

  it('say why they could not be loaded, and are loaded again on request', async () => {
    let isDown = true;
    show(run({ ...ENDED, rows: 2 }), {
      tab: 'rows',
      'GET /joint-api/mongo/d1/dataset_s/list': () =>
        isDown
          ? { status: 503, body: { error_code: 'storage_unavailable', error_message: 'MongoDB is down.' } }
          : listOf({ _id: 'x', title: 'Emma' }),
    });
    expect(await screen.findByText('MongoDB is down.')).toBeTruthy();
    isDown = false;
    await press('Try again');
    expect(await screen.findByText('Emma')).toBeTruthy();
  });
});

it('a run that is live shows its rows as it stores them', async () => {
  let rows = 0;
  const items: object[] = [];
  show(run({ started_at: '2026-01-01T00:00:03.000Z' }), {
    tab: 'rows',
    'GET /joint-api/skript-execution/first': () => ({ body: run({ rows, writes: [] }) }),
    'GET /joint-api/mongo/d1/dataset_s/list': () => listOf(...items),
  });
  expect(await screen.findByText('No rows yet')).toBeTruthy();
  rows = 1;
  items.push({ _id: 'x', title: 'Emma' });
  expect(await screen.findByText('Emma')).toBeTruthy();
  items.push({ _id: 'y', title: 'Sails' });
  expect(await screen.findByText('Sails')).toBeTruthy();
});

const RECORD = { bytes: 900, exchanges: 3, problem: null };
it('Replay starts a replay of a recorded run, and opens its page', async () => {
  show(run({ ...ENDED, record: RECORD }), {
    'POST /joint-api/skript-execution/first/replay': { status: 202, body: run({ id: 'good', replay_of: 'first' }) },
    good: run({ ...ENDED, id: 'good', skript: { id: 's', category: 'general', name: 'The replay' } }),
  });
  await press('Replay');
  expect(await screen.findByRole('heading', { name: 'The replay' })).toBeTruthy();
  expect(sent.find(({ call }) => call.startsWith('POST'))).toMatchObject({
    call: 'POST /joint-api/skript-execution/first/replay?wait_ms=0',
    body: {},
  });
});

it('the page of a replay compares its rows with those of the original', async () => {
  const compared = { compared: 1, complete: true };
  const counts = {
    equal: 1,
    changed: 0,
    added: 0,
    gone: 0,
    matched_by: 'key',
    match_field: null,
    fields: [],
    items: [],
  };
  const body = { target: 'dataset', targets: ['dataset'], was: compared, now: compared, ...counts };
  show(run({ ...ENDED, replay_of: 'good', rows: 1 }), {
    good: run({ ...ENDED, id: 'good', rows: 1 }),
    'GET /joint-api/skript-execution/first/comparison/good': { body },
  });
  const region = await screen.findByRole('region', { name: 'Rows of the replay and of the original' });
  expect(await within(region).findByText('No row differs: 1 equal row. Rows are matched by their key.')).toBeTruthy();
});
