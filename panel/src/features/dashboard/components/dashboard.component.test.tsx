import { act, cleanup, fireEvent, screen, within } from '@testing-library/react';
import { storeSession } from '../../../session/session-cookies.js';
import { run } from '../../../test-run.js';
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
  issues: { total: 0, newest: [] as object[] },
  late: { total: 0, items: [] as object[] },
  broken_rows: { total: 0, items: [] as object[] },
  live_runs: [] as object[],
  recent_runs: [] as object[],
  platform: null as object | null,
};
const NOW = () => new Date().toISOString();

const card = (name: string) => within(screen.getByRole('region', { name }));
const figure = (label: string) => card('Figures').getByText(label).closest('a');

it('the dashboard shows how many of today’s runs failed', async () => {
  showScreen(<Dashboard />, { [PATH]: { body: FIGURES } });
  expect((await screen.findByText('3 failed')).closest('a')?.textContent).toBe('Runs today (UTC)123 failed');
});

it('the dashboard has no endless placeholder for rows that could not be loaded', async () => {
  showScreen(<Dashboard />, { [PATH]: { body: FIGURES } });
  expect((await screen.findByText('–')).closest('a')?.textContent).toBe('Rows stored, 24 h–');
});

it('the dashboard compares rows and runs with those of the day before', async () => {
  const hours = Array.from({ length: 48 }, (_, index) => ({
    ...{ start: 0, pause: 0, stop: 0, error: 0, end: index < 24 ? 4 : 5, rows: index < 24 ? 10 : 5 },
    ...{ hour: new Date(Date.UTC(2026, 2, 1, index)).toISOString(), wait_ms_median: null, wait_ms_max: null },
  }));
  showWith({ body: FIGURES }, { body: { hours } });
  const rows = await screen.findByText('−50 % on the day before');
  expect(rows.closest('a')?.textContent).toBe('Rows stored, 24 h120−50 % on the day before');
  expect(figure('Runs today (UTC)')?.textContent).toContain('+25 % on yesterday by now');
});

it('the dashboard lists open issues with the number of their runs, and links each to its latest run', async () => {
  const issue = {
    id: 'i1',
    message: 'TypeError: no price',
    error_code: 'exception',
    skript: { id: 's1', name: 'Books' },
    frame: 'parse (main.js:12:18)',
    runs: 14,
    last_run_id: 'r9',
    last_seen_at: NOW(),
  };
  const silent = { ...issue, id: 'i2', message: '', error_code: 'time_limit', frame: null, last_run_id: 'r8', runs: 1 };
  showScreen(<Dashboard />, { [PATH]: { body: { ...FIGURES, issues: { total: 7, newest: [issue, silent] } } } });
  const link = await screen.findByRole('link', { name: 'TypeError: no price' });
  expect(link.getAttribute('href')).toBe('/developer/skript-executions/r9');
  expect(link.closest('li')?.textContent).toMatch(/Books14 runsjust now/);
  expect(link.title).toBe('parse (main.js:12:18)');
  const [, second] = card('Open issues').getAllByRole('listitem');
  expect(second?.querySelector('a')?.textContent).not.toBe('');
  expect(second?.textContent).toContain('1 run');
  expect(figure('Open issues')?.textContent).toBe('Open issues7');
});

it('the dashboard shows what is late and why, and nothing of it if all is on time', async () => {
  const items = [
    { kind: 'schedule', id: 'c1', name: 'Nightly', since: NOW(), reason: 'There is no worker with this id.' },
    { kind: 'run', id: 'r1', name: 'Books', since: NOW(), reason: 'worker_busy' },
    { kind: 'schedule', id: 'c2', name: 'Hourly', since: NOW(), reason: null },
  ];
  showScreen(<Dashboard />, { [PATH]: { body: { ...FIGURES, late: { total: 4, items } } } });
  await screen.findByText('And 1 more.');
  const links = card('Late').getAllByRole('link');
  expect(links.map(link => [link.textContent, link.getAttribute('href')])).toEqual([
    ['Nightly', '/developer/scheduler/c1'],
    ['Books', '/developer/skript-executions/r1'],
    ['Hourly', '/developer/scheduler/c2'],
  ]);
  expect(card('Late').getByText('schedule: There is no worker with this id.')).toBeTruthy();
  expect(card('Late').getByText('schedule: its fire is overdue')).toBeTruthy();
  cleanup();
  showScreen(<Dashboard />, { [PATH]: { body: FIGURES } });
  await screen.findByText('3 failed');
  expect(screen.queryByRole('region', { name: 'Late' })).toBeNull();
});

it('the dashboard shows skripts whose rows are broken, and nothing of it if all rows are right', async () => {
  const text = 'price was filled in 98 % of rows, now in 41 %.';
  const items = [{ skript: { id: 's1', name: 'Prices' }, execution_id: 'r1', text, ended_at: NOW() }];
  const broken = run({ id: 'r2', action: 'end', verdict: { level: 'broken', reason: null, findings: [] } });
  showScreen(<Dashboard />, {
    [PATH]: { body: { ...FIGURES, broken_rows: { total: 2, items }, recent_runs: [broken] } },
  });
  await screen.findByText('And 1 more.');
  const links = card('Broken rows').getAllByRole('link');
  expect(links.map(link => [link.textContent, link.getAttribute('href')])).toEqual([
    ['Broken rows', '/developer/skript-executions?verdict=broken'],
    ['Prices', '/developer/skript-executions/r1'],
  ]);
  expect(card('Broken rows').getByText(text)).toBeTruthy();
  expect(card('Runs').getByText('rows broken')).toBeTruthy();
  cleanup();
  showScreen(<Dashboard />, { [PATH]: { body: FIGURES } });
  await screen.findByText('3 failed');
  expect(screen.queryByRole('region', { name: 'Broken rows' })).toBeNull();
});

it('the dashboard lists the runs that have not ended first, each run once', async () => {
  const [live, ended] = [run({ id: 'live' }), run({ id: 'ended', action: 'end' })];
  showScreen(<Dashboard />, { [PATH]: { body: { ...FIGURES, live_runs: [live], recent_runs: [ended, live] } } });
  await screen.findByText('completed');
  const links = card('Runs').getAllByRole('link', { name: 'Books' });
  expect(links.map(link => link.getAttribute('href'))).toEqual([
    '/developer/skript-executions/live',
    '/developer/skript-executions/ended',
  ]);
});

it('the dashboard shows quotas only if more than 70 % of them are used', async () => {
  const quotas = {
    skripts: { limit: 200, used: 140 },
    schedules: { limit: 10, used: 8 },
    databases: { limit: 1, used: 1 },
    storage_bytes: { limit: 2 ** 30, used: 2 ** 29 },
  };
  showScreen(<Dashboard />, { [PATH]: { body: { ...FIGURES, quotas } } });
  expect((await screen.findByText('8 of 10')).closest('dl')?.textContent).toBe('Schedules8 of 10');
});

it('the dashboard shows administrators the state of the platform', async () => {
  const platform = {
    runs: { under_way: 2, waiting: 3, today: TODAY },
    last_hour: { runs: 90, capped: false, ended: 80, failed: 20, wait_ms_p95: 1_500 },
    oldest_waiting_ms: 61_000,
  };
  const disk = { free_bytes: 2 ** 30, total_bytes: 2 ** 31, is_low: true };
  const versions = {
    backend: '1.2.3',
    workers: [
      { version: '1.2.3', count: 2 },
      { version: '1.2.2', count: 1 },
    ],
  };
  showScreen(
    <Dashboard />,
    {
      [PATH]: { body: { ...FIGURES, platform } },
      'GET /joint-api/platform-health': { body: { disk, worker_disks: [], versions, last_backup_at: null } },
    },
    '/admin/here',
  );
  await screen.findByText('1 worker with another');
  expect(screen.getByRole('region', { name: 'Platform' }).textContent).toBe(
    'PlatformIn the queue3for up to 1 min 1 sRuns a minute1.5Failed, last hour25%20 runs95 % wait up to1.5 s' +
      'Last backupnoneby trawl-adminVersion1.2.31 worker with anotherDisk free1.0 GiB1 disk nearly full',
  );
});

it('the dashboard hides the first steps for the account that closed them, and for no other', async () => {
  const steps = () => screen.queryByRole('region', { name: 'First steps' });
  const show = async (username: string) => {
    cleanup();
    storeSession({ username, role: 'developer', token: 't' });
    showScreen(<Dashboard />, { [PATH]: { body: { ...FIGURES, runs: { ...FIGURES.runs, total: 3 } } } });
    await screen.findByText('3 failed');
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
    'GET /joint-api/schedules/list': listOf(),
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
  showWith(unlessBroken(FIGURES), unlessBroken({ hours: [] }));
  await screen.findByText('The figures, open issues, runs and chart could not be loaded');
  expect(alerts()).toHaveLength(1);
  expect(screen.getAllByText('Broken.')).toHaveLength(1);
  expect(document.querySelectorAll('.mantine-Skeleton-root')).toHaveLength(0);
  isBroken = false;
  await press('Try again');
  await screen.findByText('3 failed');
  await screen.findByText('Nothing fails.');
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
    'GET /joint-api/dashboard/series': () => (isBroken ? failure('No chart.') : { body: { hours: [] } }),
    'GET /joint-api/schedules/list': () => (isBroken ? failure('No schedules.') : listOf()),
  });
  await screen.findByText('The chart could not be loaded');
  await screen.findByText('The schedules could not be loaded');
  expect(alerts()).toHaveLength(2);
  isBroken = false;
  await act(async () => fireEvent.click(screen.getAllByRole('button', { name: 'Try again' })[0] as HTMLElement));
  await screen.findByText('No runs in this time.');
  await screen.findByText('Nothing is scheduled.');
});
