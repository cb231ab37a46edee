import { screen, waitFor } from '@testing-library/react';
import { listOf, press, showScreen } from '../../../test-screen.js';
import { ExportsTable } from './exports-table.js';

it('a cancelled export is shown as stopping until it has ended', async () => {
  let item = {
    id: 'e',
    file_name: 'books.csv',
    source: 'collection',
    format: 'csv',
    state: 'running',
    rows: 7,
    bytes: null,
  };
  showScreen(<ExportsTable newHref="new" />, {
    'GET /joint-api/exports/list': () => listOf(item),
    'GET /joint-api/exporters/list': listOf(),
    'POST /joint-api/exports/e/cancel': () => ({ body: item }),
  });
  await press('Cancel books.csv');
  expect(await screen.findByRole('button', { name: 'Stopping books.csv' })).toHaveProperty('disabled', true);
  item = { ...item, state: 'cancelled' };
  await waitFor(() => expect(screen.queryByRole('button', { name: /(Stopping|Cancel) books/ })).toBeNull());
});

it('the list of exports shows how many numbers an export stored as text', async () => {
  const item = {
    id: 'e',
    file_name: 'books.json',
    source: 'collection',
    format: 'json',
    state: 'done',
    rows: 7,
    bytes: 9,
  };
  showScreen(<ExportsTable newHref="new" />, {
    'GET /joint-api/exports/list': () => listOf({ ...item, numbers_as_text: 3 }),
    'GET /joint-api/exporters/list': listOf(),
  });
  expect(await screen.findByText('NaN or Infinity as text: 3')).toBeTruthy();
});
