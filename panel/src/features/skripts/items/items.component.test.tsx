import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { listOf, press, type Served, sent, showScreen } from '../../../test-screen.js';
import type { Item } from './items.js';
import ItemsView from './items-view.js';

const ITEMS = 'GET /joint-api/skripts/s/items';
const MEDIAN = 'GET /joint-api/skripts/s/items/median';
const HISTORY = 'GET /joint-api/skripts/s/items/x/history';
const at = (day: number) => `2026-01-0${day}T00:00:00.000Z`;
const item = (more: Partial<Item> = {}): Item => ({
  id: 'x',
  key: '{"sku":"B01"}',
  fields: { sku: 'B01', title: 'Emma', price: 9 },
  first_seen: at(1),
  last_seen: at(5),
  changed_at: at(3),
  gone_at: null,
  ...more,
});
const show = (served: Record<string, Served>, search = '') =>
  showScreen(
    <ItemsView skriptId="s" listHref="?tab=items" runHref={id => `/run/${id}`} />,
    served,
    `/developer/here?tab=items${search}`,
  );

it('the list of items shows each with its fields, and says which are gone', async () => {
  show({
    [ITEMS]: listOf(item(), item({ id: 'y', key: '{"sku":"B02"}', fields: { sku: 'B02' }, gone_at: at(5) })),
    [MEDIAN]: {
      body: {
        field: 'price',
        fields: ['price', 'shop.stock'],
        points: [{ execution_id: 'r', at: at(2), median: 9, low: 4, high: 20 }],
      },
    },
  });
  const link = await screen.findByRole('link', { name: 'B01' });
  expect(link.getAttribute('href')).toContain(`&${new URLSearchParams({ item: '{"sku":"B01"}' })}`);
  const [first, second] = screen.getAllByRole('row').slice(1) as [HTMLElement, HTMLElement];
  expect(within(first).getByText('Emma')).toBeTruthy();
  expect(within(first).getByText('found')).toBeTruthy();
  expect(within(second).getByText('gone')).toBeTruthy();
  expect(await screen.findByRole('img', { name: /^Median of all items, price: 9 at first, now 9/ })).toBeTruthy();
  expect(sent.map(({ call }) => call)).toContain(`${MEDIAN}?field=price`);
  // A number that no item of this page has.
  fireEvent.click(screen.getByRole('combobox', { name: 'Number' }));
  expect(await screen.findByRole('option', { name: 'shop.stock' })).toBeTruthy();
});

it('the list of items says how rows become items, and why a filter finds none', async () => {
  show({ [ITEMS]: listOf() });
  expect(await screen.findByText("dataset.push(rows, { key: 'sku' })")).toBeTruthy();
});

it('the filters of items are asked of the server, and can be cleared', async () => {
  show({ [ITEMS]: listOf() }, '&key=B0&gone=true');
  await screen.findByText('No matching items');
  expect(sent[0]?.call).toMatch(/key=B0.*/);
  expect(sent[0]?.call).toContain('gone=true');
  await press('Clear filters');
  await waitFor(() => expect(sent.at(-1)?.call).not.toContain('gone='));
});

it('an item has a line of a number over time, and its changes with the runs that found them', async () => {
  const change = { execution_id: 'r', kind: 'changed', item_id: 'x', key: '{"sku":"B01"}', at: at(3) };
  show(
    {
      [ITEMS]: listOf(item({ id: 'z', key: '{"sku":"B01x"}' }), item()),
      [HISTORY]: listOf({ ...change, fields: { price: { was: 5, now: 9 } } }),
    },
    `&${new URLSearchParams({ item: '{"sku":"B01"}' })}`,
  );
  expect(await screen.findByRole('img', { name: 'Over time, price: 5 at first, now 9, between 5 and 9' })).toBeTruthy();
  const table = screen.getByRole('table', { name: 'History of the item' });
  expect(table.textContent).toContain('pricewas5→now9');
  expect(within(table).getByRole('link').getAttribute('href')).toBe('/run/r');
  expect(screen.getByRole('link', { name: 'All items' }).getAttribute('href')).toBe('/developer/here?tab=items');
});

it('an item that is not there, and a list that fails, are told', async () => {
  show({ [ITEMS]: listOf() }, '&item=x');
  expect(await screen.findByText('There is no such item')).toBeTruthy();
});

it('a line that fails to load says why, and leaves the list', async () => {
  show({ [ITEMS]: listOf(item()), [MEDIAN]: { status: 503, body: { error_message: 'PostgreSQL is down.' } } });
  expect(await screen.findByText('The line could not be loaded')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'B01' })).toBeTruthy();
});
