import { cleanup, screen, within } from '@testing-library/react';
import { storeSession } from '../../../session/session-cookies.js';
import { press, showScreen } from '../../../test-screen.js';
import { Dashboard } from './dashboard.js';

const PATH = 'GET /joint-api/dashboard';
const TODAY = { total: 12, capped: false, start: 1, pause: 0, stop: 0, end: 8, error: 3 };
const FIGURES = {
  skripts: { total: 2, newest: { id: 's1', title: 'Books' } },
  runs: { total: 1200, total_capped: false, under_way: 1, waiting: 0, today: TODAY },
  workers: { online: 1, total: 1 },
  quotas: { skripts: { limit: 200, used: 3 }, storage_bytes: { limit: 2 ** 30, used: 2 ** 29 } },
  free_worker: null,
  recent_runs: [],
  platform: null,
};

it('shows how many of today’s runs ended with an error', async () => {
  showScreen(<Dashboard />, { [PATH]: { body: FIGURES } });
  expect(await screen.findByText('12 today, 3 with an error')).toBeTruthy();
});

it('shows how much of each limited quota is used', async () => {
  showScreen(<Dashboard />, { [PATH]: { body: FIGURES } });
  expect((await screen.findByText('3 of 200')).closest('dl')?.textContent).toBe(
    'Skripts3 of 200MongoDB storage512 MiB of 1.0 GiB',
  );
});

it('keeps the first steps closed for the account that closed them', async () => {
  const steps = () => screen.queryByRole('region', { name: 'First steps' });
  const show = async (username: string) => {
    cleanup();
    storeSession({ username, role: 'developer', token: 't' });
    showScreen(<Dashboard />, { [PATH]: { body: { ...FIGURES, runs: { ...FIGURES.runs, total: 3 } } } });
    await screen.findByText('12 today, 3 with an error');
  };
  await show('ann');
  await press('Close the first steps');
  expect(steps()).toBeNull();
  await show('ben');
  expect(steps()).not.toBeNull();
  await show('ann');
  expect(steps()).toBeNull();
});

it('marks a step as done while the account has stored data, whatever its newest runs stored', async () => {
  storeSession({ username: 'cleo', role: 'developer', token: 't' });
  showScreen(<Dashboard />, { [PATH]: { body: { ...FIGURES, runs: { ...FIGURES.runs, total: 3 } } } });
  const step = (await screen.findByText('Look at what it stored')).closest('li');
  expect(step?.textContent).toContain('(done)');
});

it('says in each card what could not be loaded, with a button to try again', async () => {
  const failed = { status: 500, body: { error_code: 'internal_error', error_message: 'Broken.' } };
  showScreen(<Dashboard />, { [PATH]: failed, 'GET /joint-api/dashboard/series': failed });
  await screen.findByText('The recent runs could not be loaded');
  const titles = screen.getAllByRole('alert').map(alert => {
    expect(within(alert).getAllByRole('button', { name: 'Try again' })).toHaveLength(1);
    return alert.querySelector('.mantine-Alert-title')?.textContent;
  });
  expect(titles).toEqual(
    ['figures', 'chart', 'workers', 'last errors', 'schedules', 'recent runs'].map(
      what => `The ${what} could not be loaded`,
    ),
  );
  expect(document.querySelectorAll('.mantine-Skeleton-root')).toHaveLength(0);
});
