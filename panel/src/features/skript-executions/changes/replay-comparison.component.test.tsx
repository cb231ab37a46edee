import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import type { Execution } from '../../../api/entities.js';
import { run } from '../../../test-run.js';
import { type Served, showScreen } from '../../../test-screen.js';
import { ReplayComparison } from './replay-comparison.js';
import { ReplayedRows } from './replayed-rows.js';

const COMPARED = {
  target: 'dataset',
  targets: ['dataset'],
  was: { compared: 1, complete: true },
  now: { compared: 1, complete: true },
  equal: 0,
  changed: 1,
  added: 0,
  gone: 0,
  matched_by: 'key',
  match_field: null,
  fields: [{ field: 'price', rows: 1 }],
  items: [
    { kind: 'changed', key: '{"sku":"B01"}', fields: { price: { was: 1, now: 2 } }, row: { sku: 'B01', price: 2 } },
  ],
};
const written = (name: string, store: 'mongodb' | 'postgresql' = 'mongodb') => ({
  store,
  database: null,
  name,
  inserted: 4,
  updated: 0,
  deleted: 0,
});
const REPLAY = run({ action: 'end', replay_of: 'good', rows: 1 });
const ORIGINAL = run({ action: 'end', id: 'good', rows: 1 });

/** Shows the replay `first` of the run `good`, and returns its region. */
function show(replay: Execution, good: Execution, compared: Served = { body: COMPARED }): Promise<HTMLElement> {
  showScreen(<ReplayComparison replay={replay} originalId="good" originalHref="/original" />, {
    'GET /joint-api/skript-execution/good': { body: good },
    'GET /joint-api/skript-execution/first/comparison/good': compared,
  });
  return screen.findByRole('region', { name: 'Rows of the replay and of the original' });
}

it('a replay is compared with the original by collection and table, and changes that are not compared are named', async () => {
  const targets = ['dataset', 'mongodb:books', 'postgresql:shop.books'];
  const inTable = { ...COMPARED, targets, target: 'postgresql:shop.books', changed: 0, equal: 4, items: [] };
  const writes = [
    { ...written('prices'), updated: 2 },
    { ...written('old_prices'), deleted: 1 },
    { ...written('stock', 'postgresql'), updated: 1 },
    written('kv_s'),
    written('books'),
    written('shop.books', 'postgresql'),
  ];
  const region = await show(REPLAY, { ...ORIGINAL, writes }, ({ call }) => ({
    body: call.includes('target=postgresql') ? inTable : { ...COMPARED, targets },
  }));
  expect(await within(region).findByText('0 equal rows. Rows are matched by their key.')).toBeTruthy();
  expect(region.textContent).toContain('pricewas1→now2');
  const note = await within(region).findByText(/A replay does not make such writes/);
  expect(note.textContent).toContain('changed or deleted rows in old_prices (MongoDB), stock (PostgreSQL).');
  await act(async () => fireEvent.click(within(region).getByRole('combobox', { name: 'Rows of' })));
  const options = await screen.findAllByRole('option');
  const [, , table] = options;
  expect(options.slice(0, 3).map(({ textContent }) => textContent)).toEqual([
    'Dataset',
    'books (MongoDB)',
    'shop.books (PostgreSQL)',
  ]);
  await act(async () => fireEvent.click(table as HTMLElement));
  expect(await within(region).findByText('No row differs: 4 equal rows. Rows are matched by their _id.')).toBeTruthy();
});

it('deletions are named as not compared instead of an empty comparison', async () => {
  const good = { ...ORIGINAL, rows: 0, writes: [{ ...written('prices'), inserted: 0, deleted: 4 }] };
  const region = await show({ ...REPLAY, rows: 0 }, good, { body: { ...COMPARED, changed: 0, items: [] } });
  expect(await within(region).findByRole('heading', { name: 'These rows are not compared' })).toBeTruthy();
  await waitFor(() => expect(region.textContent).not.toContain('Neither run has rows'));
});

it('an original that only has rows of dataset.push is compared without a choice', async () => {
  const region = await show(REPLAY, ORIGINAL);
  await within(region).findByText('0 equal rows. Rows are matched by their key.');
  expect(region.textContent).not.toContain('A replay does not');
  expect(within(region).queryByRole('combobox', { name: 'Rows of' })).toBeNull();
});

it.each(['start', 'error'] as const)('a replay at %s links the original, and has no comparison', async action => {
  const region = await show({ ...REPLAY, action }, ORIGINAL);
  expect(within(region).getByRole('link', { name: 'the original run' })).toBeTruthy();
  expect(within(region).queryByRole('table')).toBeNull();
  expect(region.textContent).not.toContain('Rows are matched');
});

describe('the number of rows of a replay', () => {
  const compared = 'GET /joint-api/skript-execution/first/comparison/good';
  const textFor = (replay: Execution, answer: Served) => {
    showScreen(<ReplayedRows replay={replay} />, { [compared]: answer });
    return document.body;
  };

  it('counts the rows of the dataset and of all collections and tables', async () => {
    const targets = ['dataset', 'mongodb:books'];
    const container = textFor(REPLAY, ({ call }) => ({
      body: call.includes('target=')
        ? { ...COMPARED, targets, equal: 1_200 }
        : { ...COMPARED, targets, equal: 3, gone: 5 },
    }));
    // One row is changed in each, and five are gone.
    await waitFor(() => expect(container.textContent).toContain('1,203 of 1,210 equal'));
  });

  it.each([
    [{ equal: 2, changed: 0, was: { compared: 2, complete: false } }, '2 of the first 2 equal'],
    [{ changed: 0 }, 'none'],
  ])('says how much is compared: %j', async (rows, text) => {
    const container = textFor(REPLAY, { body: { ...COMPARED, ...rows } });
    await waitFor(() => expect(container.textContent).toContain(text));
  });

  it.each([
    ['start', 'compared at the end'],
    ['error', 'not compared'],
  ] as const)('at %s is no number', (action, text) => {
    expect(textFor({ ...REPLAY, action }, { body: COMPARED }).textContent).toContain(text);
  });
});
