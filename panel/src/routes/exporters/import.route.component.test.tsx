import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { hasUnsavedWork } from '../../components/unsaved/unsaved-work.js';
import { endSession } from '../../session/session-end.js';
import { changes, fill, listOf, press, sent, showScreen } from '../../test-screen.js';
import ImportRoute from './import.route.js';

const item = {
  id: 'i',
  file_name: 'books.csv',
  bytes: 9,
  state: 'uploaded',
  db_id: 'd',
  collection: 'books',
  rows_read: 0,
  rows_moved: 0,
  bad_rows: 0,
};
const preview = {
  format: 'csv',
  encoding: 'utf-8',
  delimiter: 'comma',
  columns: [{ index: 0, name: 'price', field: 'price', type: 'text' }],
  documents: [{ price: '9,5' }],
  bad_rows: [],
};
const AT = '/joint-api/imports/i';

const nothing = () => {};

beforeEach(() => sessionStorage.clear());

const choose = async (field: string, option: string) => {
  const select = await screen.findByRole('combobox', { name: field });
  await act(async () => fireEvent.click(select));
  await act(async () => fireEvent.click(screen.getByRole('option', { name: option })));
};

it('the import page keeps edited columns while the user tries formats that do not fit the file', async () => {
  let isReadable = true;
  showScreen(<ImportRoute />, {
    'GET /joint-api/imports/': { body: item },
    [`GET ${AT}/preview`]: () =>
      isReadable ? { body: preview } : { status: 400, body: { error_message: 'This is not JSON.' } },
    'GET /joint-api/mongo-databases/list': listOf({ id: 'd', name: 'main' }),
    'GET /joint-api/mongo-collections/d/list': listOf({ name: 'books' }),
  });
  await fill('Field of price', 'cost');
  isReadable = false;
  await choose('Format', 'JSON list');
  await screen.findByText('This is not JSON.');
  isReadable = true;
  await choose('Format', 'CSV');
  expect(await screen.findByLabelText('Field of price')).toHaveProperty('value', 'cost');
});

it('the import page keeps columns and settings of a failed import for the next attempt', async () => {
  let state = 'uploaded';
  showScreen(<ImportRoute />, {
    // The test's address names no import.
    'GET /joint-api/imports/': () => ({ body: { ...item, state } }),
    [`GET ${AT}/preview`]: { body: preview },
    [`POST ${AT}/start`]: () => {
      state = state === 'uploaded' ? 'running' : 'done';
      return { body: { ...item, state } };
    },
    'GET /joint-api/mongo-databases/list': listOf({ id: 'd', name: 'main' }),
    'GET /joint-api/mongo-collections/d/list': listOf({ name: 'books' }),
  });
  await screen.findByLabelText('Field of price');
  await fill('Field of price', 'cost');
  await act(async () => fireEvent.click(screen.getByRole('checkbox', { name: 'Leave out bad rows' })));
  await choose('Decimal mark', 'Comma 1234,5');
  await press('Start import');
  await screen.findByRole('progressbar', { name: 'The import is running' });
  state = 'failed';
  await screen.findByText('The import failed');
  await press('Start import');
  await waitFor(() => expect(changes()).toHaveLength(2));
  const [first, second] = changes();
  expect(second?.body).toEqual(first?.body);
  expect(second?.body).toMatchObject({
    columns: [{ index: 0, field: 'cost' }],
    skip_bad_rows: true,
    decimal_mark: 'comma',
  });
  expect(sent.map(({ call }) => call)).toContain(`GET ${AT}/preview?decimal_mark=comma`);
});

it('the import page imports the chosen sheet of a workbook, and keeps the choice over a reload', async () => {
  const sheets = ['Orders', 'Customers', 'Notes'];
  const show = () =>
    showScreen(<ImportRoute />, {
      'GET /joint-api/imports/': { body: { ...item, file_name: 'books.xlsx' } },
      [`GET ${AT}/preview`]: ({ call }) => {
        const sheet = new URLSearchParams(call.split('?')[1]).get('sheet') ?? 'Orders';
        if (sheet === 'Notes') return { status: 400, body: { error_message: 'The sheet "Notes" has no rows.' } };
        const columns = [{ index: 0, name: `id of ${sheet}`, field: 'id', type: 'text' }];
        return { body: { ...preview, format: 'xlsx', skip_lines: 0, sheets, sheet, columns } };
      },
      [`POST ${AT}/start`]: { body: { ...item, state: 'running' } },
      'GET /joint-api/mongo-databases/list': listOf({ id: 'd', name: 'main' }),
      'GET /joint-api/mongo-collections/d/list': listOf({ name: 'books' }),
    });
  show();
  await fill('Field of id of Orders', 'order');
  await choose('Sheet', 'Notes');
  await screen.findByText('The sheet "Notes" has no rows.');
  await choose('Sheet', 'Customers');
  expect(await screen.findByLabelText('Field of id of Customers')).toHaveProperty('value', 'id');
  cleanup();
  show();
  await waitFor(() => expect(screen.getByRole('combobox', { name: 'Sheet' })).toHaveProperty('value', 'Customers'));
  await screen.findByLabelText('Field of id of Customers');
  await press('Start import');
  await waitFor(() => expect(changes()).toHaveLength(1));
  expect(changes()[0]?.body).toMatchObject({ sheet: 'Customers', columns: [{ index: 0, field: 'id' }] });
});

it('the import page says that Trawl is reading the file, and names the problem of an unreadable one', async () => {
  let answer = (_: { status: number; body: object }) => {};
  showScreen(<ImportRoute />, {
    'GET /joint-api/imports/': { body: item },
    [`GET ${AT}/preview`]: () => new Promise(resolve => (answer = resolve)),
    'GET /joint-api/mongo-databases/list': listOf({ id: 'd', name: 'main' }),
  });
  expect(await screen.findByRole('status', { name: 'Trawl reads the file' })).toBeTruthy();
  await act(async () => answer({ status: 400, body: { error_message: 'The file is a web page (HTML).' } }));
  expect(await screen.findByText('The file is a web page (HTML).')).toBeTruthy();
  expect(screen.getByRole('combobox', { name: 'Format' })).toHaveProperty('placeholder', 'Choose a format');
  expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
});

it('the import page shows the progress of a running import, and that a cancelled one is stopping', async () => {
  let running = { ...item, state: 'running', started_at: '2026-02-15T09:00:00.000Z', rows_read: 400_000 };
  showScreen(<ImportRoute />, {
    'GET /joint-api/imports/': () => ({ body: running }),
    [`GET ${AT}/preview`]: { body: preview },
    [`POST ${AT}/cancel`]: () => ({ body: running }),
    'GET /joint-api/mongo-databases/list': listOf(),
  });
  expect(await screen.findByText('Checking: 400,000 rows so far')).toBeTruthy();
  await press('Cancel');
  expect(await screen.findByText('Stopping…')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Cancel' })).toHaveProperty('disabled', true);
  // It was started again, perhaps in another tab.
  running = { ...running, started_at: '2026-02-15T09:01:00.000Z', rows_moved: 196_000 };
  expect(await screen.findByText('Storing: 196,000 of 400,000 rows')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Cancel' })).toHaveProperty('disabled', false);
});

describe('edited columns of an import', () => {
  const show = (state = 'uploaded') =>
    showScreen(<ImportRoute />, {
      'GET /joint-api/imports/': { body: { ...item, state } },
      [`GET ${AT}/preview`]: { body: preview },
      'GET /joint-api/mongo-databases/list': listOf({ id: 'd', name: 'main' }),
      'GET /joint-api/mongo-collections/d/list': listOf({ name: 'books' }),
    });
  const field = () => screen.findByLabelText('Field of price');

  it.each([
    ['a reload', nothing],
    ['the end of the session', endSession],
  ])('return after %s, without a confirmation or a notice', async (_, leave) => {
    show();
    await fill('Field of price', 'cost');
    expect(hasUnsavedWork()).toBe(false);
    await act(async () => leave());
    cleanup();
    show('failed');
    await waitFor(async () => expect(await field()).toHaveProperty('value', 'cost'));
    expect(screen.queryByText(/before you signed in/)).toBeNull();
  });

  it('are forgotten when the import has finished', async () => {
    show();
    await fill('Field of price', 'cost');
    cleanup();
    show('done');
    await screen.findByText('0 documents added');
    expect(sessionStorage).toHaveLength(0);
  });
});

it('the import page previews the first rows of the imported columns, and lists all bad rows', async () => {
  const badRows = Array.from({ length: 20 }, (_, at) => ({
    row: at + 3,
    reason: at < 9 ? 'The row has 6 cells.' : `n: "x${at}" is not a number.`,
  }));
  showScreen(<ImportRoute />, {
    'GET /joint-api/imports/': { body: item },
    [`GET ${AT}/preview`]: {
      body: {
        ...preview,
        columns: [...preview.columns, { index: 1, name: 'city', field: 'address.city', type: 'text' }],
        documents: [
          { price: '9,5', address: { city: 'Bath' } },
          { price: '7', address: { city: 'York' } },
        ],
        bad_rows: badRows,
      },
    },
    'GET /joint-api/mongo-databases/list': listOf({ id: 'd', name: 'main' }),
    'GET /joint-api/mongo-collections/d/list': listOf({ name: 'books' }),
  });
  const rows = async () =>
    [...(await screen.findByRole('table', { name: 'First rows of the file' })).querySelectorAll('tr')].map(row =>
      [...row.children].map(cell => cell.textContent),
    );
  expect(await rows()).toEqual([
    ['price', 'address.city'],
    ['9,5', 'Bath'],
    ['7', 'York'],
  ]);
  await act(async () => fireEvent.click(screen.getByRole('checkbox', { name: 'Import price' })));
  expect(await rows()).toEqual([['address.city'], ['Bath'], ['York']]);
  const reasons = screen.getAllByRole('listitem').map(({ textContent }) => textContent);
  expect(reasons.slice(0, 2)).toEqual(['Rows 3 to 11: The row has 6 cells.', 'Row 12: n: "x9" is not a number.']);
  expect(reasons).toHaveLength(12);
  expect(screen.getByText('The first rows have at least 20 bad rows')).toBeTruthy();
});

it('the import page imports only columns that the PostgreSQL table has, and lets the user correct a wrong schema', async () => {
  showScreen(<ImportRoute />, {
    'GET /joint-api/imports/': { body: { ...item, db_id: null, collection: null, schema: 'none', table: 'books' } },
    [`GET ${AT}/preview`]: ({ call }) =>
      call.includes('schema=none')
        ? { status: 400, body: { error_message: 'schema: you have no schema none.' } }
        : {
            body: {
              ...preview,
              columns: [
                { index: 0, name: 'price', field: 'price', type: 'numeric(6,2)' },
                { index: 1, name: 'cost', field: 'cost', type: 'text' },
              ],
              ...(call.includes('table=') ? { table_columns: ['price'] } : {}),
            },
          },
    'GET /joint-api/postgres-tables/list': listOf({ schema: 'public', name: 'books', kind: 'table' }),
    [`POST ${AT}/start`]: { body: { ...item, state: 'running' } },
  });
  await screen.findByText('schema: you have no schema none.');
  await fill('Schema', 'public');
  expect(await screen.findByText('numeric(6,2)')).toBeTruthy();
  await waitFor(() => expect(screen.getByRole('button', { name: 'Start import' })).toHaveProperty('disabled', false));
  await press('Start import');
  await waitFor(() => expect(changes()).toHaveLength(1));
  expect(changes()[0]?.body).toMatchObject({
    table: 'books',
    schema: 'public',
    columns: [{ index: 0, field: 'price' }],
  });
  expect(changes()[0]?.body).not.toHaveProperty('collection');
});
