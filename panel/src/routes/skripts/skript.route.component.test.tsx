import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { useLocation } from 'react-router';
import { changes, fill, listOf, press, pressItem, type Served, sent, showScreen } from '../../test-screen.js';
import SkriptRoute from './skript.route.js';

jest.mock('virtual:skript-templates', () => ({ __esModule: true, default: {} }), { virtual: true });
jest.mock('react-router', () => ({
  ...jest.requireActual('react-router'),
  useParams: () => ({ role: 'developer', skriptId: 's1' }),
}));

const FILE = { id: 'f1', name: 'main.js', size: 9 };
const SKRIPT = {
  id: 's1',
  title: 'Book prices',
  description: '',
  howto: '',
  files: [FILE],
  bundle_hash: 'b1',
  stale: false,
};
const RUN = {
  id: 'r1',
  skript: { id: 's1', name: 'Book prices', category: 'general' },
  action: 'error',
  waiting_for: null,
  error_code: 'exception',
  error_stack: 'Error: no price\n    at parse (main.js:2:3)',
  rows: 2,
  bundle_hash: 'b1',
  created_at: '2026-01-01T00:00:00.000Z',
  started_at: '2026-01-01T00:00:00.000Z',
  ended_at: '2026-01-01T00:00:05.000Z',
  updated_at: '2026-01-01T00:00:05.000Z',
};
const target = (fields: object) => ({
  store: 'mongodb',
  database: null,
  runs: 3,
  inserted: 60,
  updated: 0,
  deleted: 0,
  first_run_at: '2026-01-01T00:00:00.000Z',
  last_run_at: '2026-01-02T00:00:00.000Z',
  days: [{ day: new Date().toISOString().slice(0, 10), inserted: 60, deleted: 10 }],
  ...fields,
});
const write = (fields: object) => ({
  store: 'mongodb',
  database: null,
  inserted: 0,
  updated: 0,
  deleted: 0,
  ...fields,
});
const SCHEDULE = {
  id: 'c1',
  name: 'Nightly',
  skript_id: 's1',
  skript: { name: 'Book prices' },
  cron_span: '0 2 * * *',
  time_zone: 'UTC',
  enabled: true,
  counter: 4,
  triggered: [],
  next_fire_at: '2099-01-01T00:00:00.000Z',
};
const WEBHOOK = {
  id: 'w1',
  name: 'on-call',
  url: 'https://example.com',
  events: ['run.failed'],
  skript_id: null,
  enabled: true,
  disabled_reason: null,
  failing_since: null,
};

const SERVED: Record<string, Served> = {
  'GET /joint-api/skripts/s1': { body: SKRIPT },
  'GET /joint-api/skripts/list': listOf(SKRIPT),
  'GET /joint-api/skript-files/f1': { body: { ...FILE, content: 'one\ntwo\nthree', hash: 'h' } },
  'GET /joint-api/inputs/list': listOf(),
  'GET /joint-api/input-secrets/list': listOf(),
  'GET /joint-api/workers/list': listOf(),
  'GET /joint-api/skript-execution/list': listOf(RUN),
  'GET /joint-api/skript-execution/latest-by-skript': { body: { items: [{ ...RUN, skript_id: 's1' }] } },
  'GET /joint-api/skript-execution/r1': {
    body: {
      ...RUN,
      writes: [
        write({ name: 'dataset_s1', inserted: 2 }),
        write({ name: 'books', inserted: 40, updated: 9 }),
        write({ store: 'postgresql', name: 'shop.prices', inserted: 1_000 }),
        write({ name: 'kv_s1', inserted: 7 }),
      ],
    },
  },
  'GET /joint-api/skript-execution/written-data': {
    body: {
      runs: 3,
      items: [
        target({ name: 'kv_s1' }),
        target({ name: 'books' }),
        target({ store: 'postgresql', name: 'shop.prices' }),
      ],
    },
  },
  'GET /joint-api/schedules/list': listOf(SCHEDULE),
  'GET /joint-api/schedules/fires-by-hour': listOf(),
  'GET /joint-api/mongo-databases/list': listOf({ id: 'd1', name: 'main' }),
  'GET /joint-api/mongo-databases/d1': { body: { id: 'd1', name: 'main', read_only: false } },
  'GET /joint-api/mongo-collections/d1/books': { body: { name: 'books', count: 1_234 } },
  'GET /joint-api/mongo/d1/books/list': listOf({ _id: 1, title: 'Emma' }),
  'GET /joint-api/postgres-tables/prices': {
    body: { schema: 'shop', name: 'prices', estimated_rows: 1_000, columns: [{ name: 'sku' }] },
  },
  'GET /joint-api/postgres-tables/prices/rows': listOf({ sku: 'a-1' }),
  'GET /joint-api/webhooks/list': listOf(WEBHOOK, { ...WEBHOOK, id: 'w2', name: 'other skript', skript_id: 's2' }),
  'GET /joint-api/account/notifications': { body: { email_events: ['run.failed', 'quota.warning'] } },
  'GET /joint-api/issues/list': listOf(),
};
const show = (address = '', served = {}) =>
  showScreen(
    <>
      <SkriptRoute />
      <Address />
    </>,
    { ...SERVED, ...served },
    `/developer/skripts/s1${address}`,
  );
const Address = () => <p>{`address ${useLocation().search}`}</p>;
const openTab = async (name: string) => {
  const tab = await screen.findByRole('tab', { name });
  await act(async () => fireEvent.click(tab));
};

it('the head of a skript says how the last run ended, what it stored anywhere, and when the next one starts', async () => {
  show();
  const facts = await screen.findByRole('link', { name: 'failed' });
  expect(facts.getAttribute('href')).toBe('/developer/skript-executions/r1');
  expect((await screen.findByRole('link', { name: '1,051' })).getAttribute('href')).toBe(
    '/developer/skripts/s1?tab=data',
  );
  const next = (await screen.findByText('1 Jan 2099')).closest('a');
  expect(next?.getAttribute('href')).toBe('/developer/skripts/s1?tab=schedules');
});

it('the line at which the last run failed is marked, unless the files have changed since', async () => {
  show();
  const message = await screen.findByText('Error: no price', { selector: '.line-message' });
  expect(message.previousElementSibling?.className).toContain('line-failed');
  expect(message.previousElementSibling?.textContent).toBe('two');
});

it('the line at which an older version failed is not marked in the current files', async () => {
  show('', { 'GET /joint-api/skripts/s1': { body: { ...SKRIPT, stale: true } } });
  await screen.findByLabelText('Content of main.js');
  await screen.findByRole('link', { name: 'failed' });
  expect(screen.queryByText('Error: no price')).toBeNull();
});

it('one click shows the rows of a skript: those of the collection that was written last, not of its key-value store', async () => {
  show();
  await openTab('Data');
  expect(await screen.findByText('Emma')).toBeTruthy();
  expect(screen.getByText('1,234')).toBeTruthy();
  expect(screen.getAllByText('+50 in 7 days')).toHaveLength(3);
  await act(async () => fireEvent.click(screen.getByRole('link', { name: 'shop.prices' })));
  expect(await screen.findByText('a-1')).toBeTruthy();
  expect(screen.getByText('≈ 1,000')).toBeTruthy();
});

it('the data of a skript says how to store rows if no run has written any', async () => {
  show('?tab=data', { 'GET /joint-api/skript-execution/written-data': { body: { runs: 2, items: [] } } });
  expect(await screen.findByText('No run has written data')).toBeTruthy();
});

it('the data of a skript says that it could not be loaded, and tries again', async () => {
  const refused = { status: 503, body: { error_code: 'unavailable', error_message: 'Down.' } };
  show('?tab=data', { 'GET /joint-api/skript-execution/written-data': refused });
  expect(await screen.findByText('The data of the skript could not be loaded')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Try again' })).toBeTruthy();
});

it('the runs of a skript are listed by time, without other skripts to choose', async () => {
  show();
  await openTab('Runs');
  const table = await screen.findByRole('table', { name: 'Skript executions' });
  expect(within(table).queryByText('Book prices')).toBeNull();
  expect(
    within(table)
      .getByRole('link', { name: /1 Jan 2026/ })
      .getAttribute('href'),
  ).toBe('/developer/skript-executions/r1');
  expect(screen.queryByPlaceholderText('All skripts')).toBeNull();
  expect(sent.map(({ call }) => call)).toContainEqual(expect.stringMatching(/skript-execution\/list\?.*skript_id=s1/));
});

it('two clicks open the form of a new schedule, with the skript and a free name filled in', async () => {
  show('', {
    'GET /joint-api/schedules/list': listOf({ ...SCHEDULE, name: 'Book prices' }),
    'GET /joint-api/schedules/preview': { body: { next_fires: [] } },
  });
  await openTab('Schedules');
  await press('New schedule');
  const dialog = await screen.findByRole('dialog', { name: 'New schedule' });
  expect(within(dialog).getByDisplayValue('Book prices 2')).toBeTruthy();
  expect(within(dialog).getByDisplayValue('Book prices')).toBeTruthy();
});

it('the alerts of a skript list the webhooks that hear of it, and a new one hears only of it', async () => {
  show('?tab=alerts', { 'POST /joint-api/webhooks/addnew': { status: 201, body: { ...WEBHOOK, secret: 'whsec_1' } } });
  expect(await screen.findByText('on-call')).toBeTruthy();
  expect(screen.queryByText('other skript')).toBeNull();
  expect(await screen.findByText(/You get e-mails about: run failed\./)).toBeTruthy();
  await press('New webhook');
  await fill('URL', 'https://example.com/hook');
  await press('Create webhook');
  expect(changes()).toMatchObject([
    { call: 'POST /joint-api/webhooks/addnew', body: { name: 'Book prices', skript_id: 's1', events: ['run.failed'] } },
  ]);
});

it('the menu of a skript leads to the export of what its runs wrote last', async () => {
  show();
  await press('More for Book prices');
  // The item has no address until the data of the skript is loaded.
  await waitFor(() =>
    expect(screen.getByRole('menuitem', { name: 'Export its rows…' }).getAttribute('href')).toBe(
      '/developer/exporters/new?db_id=d1&collection=books',
    ),
  );
  await pressItem('New schedule…');
  expect(await screen.findByRole('dialog', { name: 'New schedule' })).toBeTruthy();
});

it.each(['?tab=alerts', `?tab=alerts&version=${'a'.repeat(64)}&file=main.js`])(
  'a run that is started at %s is shown below the current code',
  async address => {
    show(address, {
      'POST /joint-api/execute-skript/single-worker/start': { body: RUN },
      'GET /joint-api/echoes/r1/list': { body: { total: 0, items: [], next_after_seq: null } },
    });
    await press('Run');
    expect(await screen.findByRole('region', { name: 'This run' })).toBeTruthy();
    expect(screen.getByText('address ?execution_id=r1')).toBeTruthy();
  },
);

it('the links of the tabs Runs and Data keep the open file and the run of the tab Code', async () => {
  show('?file=main.js&execution_id=r1&tab=data');
  const kept = 'file=main.js&execution_id=r1';
  const hrefOf = async (link: Promise<HTMLElement>) => (await link).getAttribute('href') ?? '';
  expect(await hrefOf(screen.findByRole('link', { name: 'shop.prices' }))).toContain(`?tab=data&${kept}&target=`);
  await openTab('Runs');
  expect(await hrefOf(screen.findByRole('link', { name: /^Last run/ }))).toContain(`?tab=runs&${kept}`);
});

it('the data of a skript says that its databases could not be loaded, and shows the rows on request', async () => {
  let isDown = true;
  const refused = { status: 503, body: { error_code: 'unavailable', error_message: 'Down.' } };
  show('?tab=data', {
    'GET /joint-api/mongo-databases/list': () => (isDown ? refused : listOf({ id: 'd1', name: 'main' })),
  });
  expect(await screen.findByText('The rows could not be loaded')).toBeTruthy();
  isDown = false;
  await press('Try again');
  expect(await screen.findByText('Emma')).toBeTruthy();
});

describe('Replay in the editor', () => {
  const record = { bytes: 900, exchanges: 3, problem: null };
  const replayed = { 'POST /joint-api/skript-execution/r3/replay': { status: 202, body: { ...RUN, id: 'r1' } } };
  const listed = (...runs: object[]) => ({ 'GET /joint-api/skript-execution/list': listOf(...runs) });

  it('runs the files against the newest recorded run, and shows the replay below them', async () => {
    const runs = [
      { ...RUN, id: 'r5', record: null },
      { ...RUN, id: 'r4', record: { ...record, bytes: 0, problem: 'Your quota is full.' } },
      { ...RUN, id: 'r3', record },
      { ...RUN, id: 'r2', record },
    ];
    show('', { ...listed(...runs), ...replayed });
    await press('Replay');
    await screen.findByText(/^Run against the record of .*, the newest$/);
    expect(screen.getAllByRole('menuitem')).toHaveLength(2);
    await pressItem((screen.getAllByRole('menuitem')[0] as HTMLElement).textContent ?? '');
    await waitFor(() => expect(screen.getByText(/^address/).textContent).toContain('execution_id=r1'));
    expect(changes()).toMatchObject([{ call: 'POST /joint-api/skript-execution/r3/replay?wait_ms=0', body: {} }]);
  });

  it('says how to record a run if the latest runs have no record', async () => {
    show('', listed({ ...RUN, record: null }));
    await press('Replay');
    expect(await screen.findByText('The latest runs have no record. Set Record in the settings.')).toBeTruthy();
  });
});
