import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { press, type Served, sent, showScreen } from '../../../test-screen.js';
import { CollectionGroups } from './collection-groups.js';
import { TableGroups } from './table-groups.js';

const COLLECTION = 'GET /joint-api/mongo/d/books/groups';
const TABLE = 'GET /joint-api/postgres-tables/prices/groups';
const COUNTRIES = {
  items: [
    { group: 'HR', count: 3, sum: 14, average: 14 / 3, min: 1.5, max: 10 },
    { group: null, count: 1, sum: null, average: null, min: null, max: null },
  ],
};

const showCollection = (address: string, groups: Served = { body: COUNTRIES }) =>
  showScreen(
    <CollectionGroups databaseId="d" collection="books" exportHref="/new?db_id=d&collection=books" />,
    { [COLLECTION]: groups, 'POST /joint-api/mongo/d/books/aggregate': { body: { items: [] } } },
    `/developer/books?tab=groups${address}`,
  );
const rows = () => screen.getAllByRole('row').map(row => [...row.children].map(cell => cell.textContent));
const asked = () => {
  const { call = '' } = sent.filter(request => request.call.includes('/groups')).at(-1) ?? {};
  return Object.fromEntries(new URLSearchParams(call.split('?')[1]));
};

describe('the groups of a collection', () => {
  it('are first the days on which documents were added', async () => {
    showCollection('', { body: { items: [{ group: new Date(2026, 0, 31).toISOString(), count: 1_200 }] } });
    await screen.findByRole('table');
    expect(rows()).toEqual([
      ['From', 'Count'],
      ['31 Jan 2026', '1,200'],
    ]);
    expect(asked()).toMatchObject({ by: '_id', every: 'day' });
  });

  it('are shown as the address says, with all figures of a field, and lead to an export of them', async () => {
    showCollection('&by=seller.country&of=price');
    await screen.findByRole('table');
    expect(rows()).toEqual([
      ['seller.country', 'Count', 'Average', 'Sum', 'Lowest', 'Highest'],
      ['HR', '3', '4.67', '14', '1.5', '10'],
      ['no value', '1', 'null', 'null', 'null', 'null'],
    ]);
    expect(asked()).toMatchObject({ by: 'seller.country', of: 'price' });
    expect(screen.getByRole('link', { name: 'Export…' }).getAttribute('href')).toContain(
      '/new?db_id=d&collection=books&by=seller.country&of=price',
    );
  });

  it('change when the user has typed another field', async () => {
    showCollection('&by=title');
    const field = await screen.findByRole('combobox', { name: 'Group by' });
    await act(async () => fireEvent.change(field, { target: { value: ' $price ' } }));
    expect(asked()).toMatchObject({ by: 'title' });
    await act(async () => fireEvent.keyDown(field, { key: 'Enter' }));
    await waitFor(() => expect(asked()).toMatchObject({ by: '$price' }));
  });

  it('offer all fields before the user types, and have each value of another field', async () => {
    const shares = ['_id', 'shelf'].map(_id => ({ _id, present: 1, filled: 1 }));
    showScreen(
      <CollectionGroups databaseId="d" collection="books" exportHref="/new" />,
      { [COLLECTION]: { body: COUNTRIES }, 'POST /joint-api/mongo/d/books/aggregate': { body: { items: shares } } },
      '/developer/books?tab=groups',
    );
    await screen.findByRole('table');
    expect(asked()).toMatchObject({ by: '_id', every: 'day' });
    await act(async () => fireEvent.click(screen.getByRole('combobox', { name: 'Group by' })));
    const other = (await screen.findAllByRole('option', { name: 'shelf' }))[0];
    await act(async () => fireEvent.click(other as HTMLElement));
    await waitFor(() => expect(asked()).toMatchObject({ by: 'shelf' }));
    expect(asked()).not.toHaveProperty('every');
  });

  it('say that there is nothing, that there are more, and why they could not be loaded', async () => {
    showCollection('', { body: { items: [] } });
    expect(await screen.findByText('There is nothing to group')).toBeTruthy();
    cleanup();
    showCollection('&by=title', { body: { ...COUNTRIES, truncated: true } });
    expect(await screen.findByText(/Only the first 2 groups are shown. An export can have up to 100,000/)).toBeTruthy();
    cleanup();
    const refused = { status: 422, body: { error_message: 'MongoDB reached the time limit.' } };
    let isRefused = true;
    showCollection('&by=url', () => (isRefused ? refused : { body: COUNTRIES }));
    expect(await screen.findByText('MongoDB reached the time limit.')).toBeTruthy();
    isRefused = false;
    await press('Try again');
    expect(await screen.findByRole('table')).toBeTruthy();
  });
});

test('the groups of a table are first those of the days in its column of times', async () => {
  const column = { nullable: true, default: null, primary_key: false };
  showScreen(
    <TableGroups
      schema="shop"
      table="prices"
      columns={[
        { ...column, name: 'title', type: 'text' },
        { ...column, name: 'seen_at', type: 'timestamp with time zone' },
      ]}
      exportHref="/new?source=table"
    />,
    { [TABLE]: { body: COUNTRIES } },
    '/developer/prices',
  );
  await screen.findByRole('table');
  expect(asked()).toMatchObject({ by: 'seen_at', every: 'day', schema: 'shop' });
});
