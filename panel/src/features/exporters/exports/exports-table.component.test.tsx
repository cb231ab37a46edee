import { screen, waitFor } from '@testing-library/react';
import { listOf, press, showScreen } from '../../../test-screen.js';
import { ExportsTable } from './exports-table.js';

it('says that an export stops, from its cancellation until it has ended', async () => {
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
