import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { run } from '../../../test-run.js';
import { listOf, press, type Served, sent, showScreen } from '../../../test-screen.js';
import ChangesTab from './changes-tab.js';

const CHANGES = 'GET /joint-api/skript-execution/first/changes';
const COMPARISON = 'GET /joint-api/skript-execution/first/comparison/good';
const NO_COUNTS = { added: 0, changed: 0, gone: 0, back: 0 };
const NO_CHANGES = { total: 0, limit: 25, skip: 0, counts: NO_COUNTS, items: [] };
const changeOf = (more: object) => ({
  execution_id: 'first',
  item_id: 'x',
  key: '{"sku":"B01"}',
  at: '2026-01-01T00:00:00.000Z',
  fields: null,
  ...more,
});

const show = (served: Record<string, Served>, address?: string, execution = run({ action: 'end', rows: 3 })) =>
  showScreen(
    <ChangesTab execution={execution} lastGood={run({ id: 'good', action: 'end' })} />,
    { 'GET /joint-api/skript-execution/list': listOf(run({ id: 'good', action: 'end' })), ...served },
    address,
  );

it('the changes of a run are shown with both values, and filtered by kind and field on the server', async () => {
  const fields = { price: { was: 12.5, now: null }, 'shop.city': { was: '', now: 'Bath' } };
  show({
    [CHANGES]: {
      body: {
        ...NO_CHANGES,
        total: 2,
        state: 'merged',
        counts: { ...NO_COUNTS, changed: 1200, gone: 1 },
        items: [changeOf({ kind: 'changed', fields }), changeOf({ kind: 'gone', item_id: 'y', key: '{"sku":"B02"}' })],
      },
    },
  });
  await screen.findByText('B01');
  const [changed, gone] = (await screen.findAllByRole('row')).slice(1);
  expect(changed?.textContent).toContain('B01');
  expect(
    within(changed as HTMLElement)
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent),
  ).toEqual(['pricewas12.5→nowno value', 'shop.citywasempty text→nowBath']);
  expect(gone?.textContent).toContain('gone');
  await press('1,200 changed');
  expect(sent.at(-1)?.call).toContain('kind=changed');
  expect(screen.getByRole('button', { name: '1,200 changed' }).getAttribute('aria-pressed')).toBe('true');
  fireEvent.change(screen.getByLabelText('Field, such as price'), { target: { value: 'price' } });
  await waitFor(() => expect(sent.at(-1)?.call).toMatch(/kind=changed.*field=price/));
});

it.each([
  [run({ action: 'end', rows: 3 }), 'none', 'The rows have no key'],
  [run({ action: 'end', rows: 0 }), 'none', 'This run stored no rows'],
  [run({ action: 'start' }), 'none', 'The run is live'],
  [run({ action: 'end' }), 'older', 'A later run was first'],
  [run({ action: 'end' }), 'waiting', 'Not merged yet'],
  [run({ action: 'end', verdict: { level: 'broken', reason: null, findings: [] } }), 'waiting', 'The rows are broken'],
  [run({ action: 'end' }), 'merged', 'Nothing changed'],
])('says why a run has no changes: %#, %s', async (execution, state, title) => {
  show({ [CHANGES]: { body: { ...NO_CHANGES, state } } }, undefined, execution);
  expect(await screen.findByRole('heading', { name: title })).toBeTruthy();
});

it.each([
  ['no changes', []],
  ['some changes', [changeOf({ kind: 'added' })]],
])('a run whose merge failed after it stored %s says why', async (_, items) => {
  const reason = 'A document with { price: 3 } (index price_1) already exists.';
  show({ [CHANGES]: { body: { ...NO_CHANGES, total: items.length, state: 'failed', reason, items } } });
  expect(await screen.findByText(/The rows could not be merged/)).toBeTruthy();
  expect(await screen.findByText(/index price_1.*The next run continues from the items as they are/)).toBeTruthy();
  expect(screen.queryAllByText('B01')).toHaveLength(items.length);
});

const COMPARED = {
  target: 'dataset',
  targets: ['dataset'],
  was: { compared: 3, complete: true },
  now: { compared: 3, complete: true },
  equal: 1,
  changed: 1,
  added: 1,
  gone: 0,
  matched_by: 'key',
  match_field: null,
  fields: [{ field: 'price', rows: 1 }],
  items: [
    { kind: 'changed', key: '{"sku":"B01"}', fields: { price: { was: 1, now: 2 } }, row: { sku: 'B01', price: 2 } },
    { kind: 'added', key: '{"sku":"B03"}', fields: null, row: { sku: 'B03', price: 7 } },
  ],
};

it('a run whose rows have no key is compared with the last good run instead', async () => {
  show({ [CHANGES]: { body: { ...NO_CHANGES, state: 'none' } }, [COMPARISON]: { body: COMPARED } });
  expect(await screen.findByText("dataset.push(rows, { key: 'sku' })")).toBeTruthy();
  await press('Compare with the last good run');
  expect(await screen.findByText('1 equal row. Rows are matched by their key.')).toBeTruthy();
  const rows = () =>
    screen
      .getAllByRole('row')
      .slice(1)
      .map(({ textContent }) => textContent);
  expect(rows()).toEqual([expect.stringContaining('pricewas1→now2'), expect.stringContaining('price7')]);
  await press('1 added');
  expect(rows()).toEqual([expect.stringContaining('B03')]);
  await press('0 gone');
  expect(await screen.findByText('No matching rows')).toBeTruthy();
  await press('Show changes of this run');
  expect(await screen.findByRole('button', { name: 'Compare with the last good run' })).toBeTruthy();
});

it('a comparison says how rows without keys are matched, and that it leaves out rows', async () => {
  const body = {
    ...COMPARED,
    matched_by: 'field',
    match_field: 'url',
    changed: 900,
    was: { compared: 9, complete: false },
  };
  show({ [COMPARISON]: { body } }, '/developer/here?with=good');
  const note = await screen.findByText(/The rows have no key/);
  expect(note.textContent).toContain('matched by url');
  expect(note.textContent).toContain('more rows than can be compared');
  expect(note.textContent).toContain('the first 2 of the differences');
  expect(screen.getByRole('columnheader', { name: 'url' })).toBeTruthy();
});

it('a comparison that fails says why, and can be tried again', async () => {
  let isDown = true;
  show(
    {
      [COMPARISON]: () =>
        isDown
          ? { status: 503, body: { error_message: 'MongoDB is down.' } }
          : { body: { ...COMPARED, changed: 0, added: 0, items: [] } },
    },
    '/developer/here?with=good',
  );
  expect(await screen.findByText('The comparison of the rows could not be loaded')).toBeTruthy();
  isDown = false;
  await press('Try again');
  expect(await screen.findByText(/^No row differs: /)).toBeTruthy();
});
