import { screen, waitFor } from '@testing-library/react';
import { listOf, press, showScreen } from '../../test-screen.js';
import DatabasesRoute from './databases.route.js';

const show = (limit: number | null) =>
  showScreen(<DatabasesRoute />, {
    'GET /joint-api/account': {
      body: {
        id: 'a',
        role: 'developer',
        quotas: { storage_bytes: { used: 0, limit }, databases: { used: 1, limit } },
      },
    },
    'GET /joint-api/mongo-databases/list': listOf({ id: 'd', name: 'main', created_at: '2026-01-01T00:00:00Z' }),
  });

it('the button New database is disabled with a reason while the account’s quota of databases is used up', async () => {
  show(1);
  const button = (await screen.findAllByRole('button', { name: 'New database' }))[0];
  await waitFor(() => expect(button?.getAttribute('aria-disabled')).toBe('true'));
  const reason = document.getElementById(button?.getAttribute('aria-describedby') ?? '');
  expect(reason?.textContent).toMatch(/delete one/);
});

it('the button New database opens its dialog while the account may have more databases', async () => {
  show(null);
  await screen.findByText(/^Your account has no limit/);
  await press('New database');
  expect(await screen.findByRole('dialog')).toBeTruthy();
});
