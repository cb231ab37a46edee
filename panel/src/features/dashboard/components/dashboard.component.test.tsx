import { act, cleanup, fireEvent, screen, within } from '@testing-library/react';
import { storeSession } from '../../../session/session-cookies.js';
import { listOf, press, showScreen } from '../../../test-screen.js';
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

it('the dashboard shows how many of today’s runs ended with an error', async () => {
  showScreen(<Dashboard />, { [PATH]: { body: FIGURES } });
  expect(await screen.findByText('12 today, 3 with an error')).toBeTruthy();
});

it('the dashboard shows how much of each limited quota is used', async () => {
  showScreen(<Dashboard />, { [PATH]: { body: FIGURES } });
  expect((await screen.findByText('3 of 200')).closest('dl')?.textContent).toBe(
    'Skripts3 of 200Storage in databases512 MiB of 1.0 GiB',
  );
});

it('the dashboard hides the first steps for the account that closed them, and for no other', async () => {
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

it('the dashboard marks the step “Look at what it stored” as done once the account has stored data', async () => {
  storeSession({ username: 'cleo', role: 'developer', token: 't' });
  showScreen(<Dashboard />, { [PATH]: { body: { ...FIGURES, runs: { ...FIGURES.runs, total: 3 } } } });
  const step = (await screen.findByText('Look at what it stored')).closest('li');
  expect(step?.textContent).toContain('(done)');
});

/** Opens a dashboard without schedules whose other requests answer as given. */
const showWith = (figures: object, series: object) =>
  showScreen(<Dashboard />, {
    [PATH]: figures as { body: unknown },
    'GET /joint-api/dashboard/series': series as { body: unknown },
    'GET /apps/workers/list': listOf(),
    'GET /joint-api/schedules/list': listOf(),
    'GET /joint-api/skript-execution/list': listOf(),
  });
const failure = (error_message: string) => ({
  status: 500,
  body: { error_code: 'internal_error', error_message },
});
const alerts = () =>
  screen.queryAllByRole('alert').map(alert => {
    expect(within(alert).getAllByRole('button', { name: 'Try again' })).toHaveLength(1);
    return alert.querySelector('.mantine-Alert-title')?.textContent;
  });

it('the dashboard shows one error for several failed cards, and Try again loads all of them', async () => {
  let isBroken = true;
  const unlessBroken = (body: unknown) => () => (isBroken ? failure('Broken.') : { body });
  showWith(unlessBroken(FIGURES), unlessBroken({ hours: [], last_errors: [] }));
  await screen.findByText('The figures, chart, last errors and recent runs could not be loaded');
  expect(alerts()).toHaveLength(1);
  expect(screen.getAllByText('Broken.')).toHaveLength(1);
  expect(document.querySelectorAll('.mantine-Skeleton-root')).toHaveLength(0);
  isBroken = false;
  await press('Try again');
  await screen.findByText('12 today, 3 with an error');
  await screen.findByText('No run has failed.');
  expect(alerts()).toEqual([]);
});

it('the dashboard shows one error about the whole dashboard if no card could be loaded', async () => {
  showScreen(<Dashboard />, {});
  await screen.findByText('The dashboard could not be loaded');
  expect(alerts()).toHaveLength(1);
});

it('the dashboard shows different errors in their cards, and Try again in one loads all failed cards', async () => {
  let isBroken = true;
  showScreen(<Dashboard />, {
    [PATH]: { body: FIGURES },
    'GET /joint-api/dashboard/series': { body: { hours: [], last_errors: [] } },
    'GET /apps/workers/list': () => (isBroken ? failure('No workers.') : listOf()),
    'GET /joint-api/schedules/list': () => (isBroken ? failure('No schedules.') : listOf()),
  });
  await screen.findByText('The workers could not be loaded');
  await screen.findByText('The schedules could not be loaded');
  expect(alerts()).toHaveLength(2);
  isBroken = false;
  await act(async () => fireEvent.click(screen.getAllByRole('button', { name: 'Try again' })[0] as HTMLElement));
  await screen.findByText('No worker can run your skripts yet.');
  await screen.findByText('Nothing is scheduled.');
});
