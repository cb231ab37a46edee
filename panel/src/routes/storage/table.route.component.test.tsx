import { screen } from '@testing-library/react';
import { Route, Routes } from 'react-router';
import { showScreen } from '../../test-screen.js';
import TableRoute from './table.route.js';

const refused = (status: number) => ({ status, body: { error_message: 'You have no table books.' } });

it.each([
  [404, 'There is no table at this address'],
  [500, 'The table could not be loaded'],
])('the page of a table shows an error for status %i instead of a table without columns', async (status, text) => {
  showScreen(
    <Routes>
      <Route path=":schema/:table" element={<TableRoute />} />
    </Routes>,
    {
      'GET /joint-api/postgres-tables/books': refused(status),
    },
    '/developer/public/books',
  );
  expect(await screen.findByText(text)).toBeTruthy();
  expect(screen.queryByRole('table')).toBeNull();
});
