import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { endSession } from '../../session/session-end.js';
import { changes, fill, listOf, press, showScreen } from '../../test-screen.js';
import ContactMessagesRoute from './contact-messages.route.js';
import PlatformRoute from './platform.route.js';

const account = { id: 'a', username: 'admin', role: 'admin', quotas: {}, maintenance: null };
const health = {
  details: { postgres: { status: 'up', responseTime: 3 }, mongodb: { status: 'down' }, redis: { status: 'up' } },
};
const GB = 2 ** 30;
const disks = {
  versions: { backend: '1.2.3', workers: [] },
  last_backup_at: null,
  disk: { free_bytes: 40 * GB, total_bytes: 80 * GB, is_low: false },
  postgres: { size_bytes: 3 * GB },
  worker_disks: [{ id: 'w', name: 'north', free_bytes: GB, total_bytes: 20 * GB, is_low: true }],
  object_store: null,
};
const objectStore = {
  bucket: 'trawl-echoes',
  is_available: false,
  unavailable_since: '2026-11-22T05:00:00Z',
  reason: 'TimeoutError: no answer',
};

describe('the platform page of administrators', () => {
  it('starts maintenance only after a confirmation', async () => {
    const maintenance = { message: 'We move.', until: null, started_at: '2026-11-22T05:00:00Z' };
    showScreen(<PlatformRoute />, {
      'GET /joint-api/account': { body: account },
      'GET /health/ready': { status: 503, body: health },
      'GET /joint-api/platform-health': { body: disks },
      'PUT /joint-api/maintenance': { body: maintenance },
    });
    await press('Start maintenance…');
    await screen.findByRole('dialog', { name: 'Start the maintenance?' });
    await fill('Message', ' We move. ');
    expect(changes()).toEqual([]);
    await press('Start maintenance');
    await screen.findByText('The platform is in maintenance.');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(changes()).toMatchObject([
      { call: 'PUT /joint-api/maintenance', body: { message: 'We move.', until: null } },
    ]);
  });

  it('restores the typed maintenance message after the session has ended', async () => {
    const show = () => showScreen(<PlatformRoute />, { 'GET /joint-api/account': { body: account } });
    show();
    await press('Start maintenance…');
    await fill('Message', 'We move.');
    await act(async () => endSession());
    cleanup();
    show();
    await press('Start maintenance…');
    expect(await screen.findByDisplayValue('We move.')).toBeTruthy();
  });

  it('names the services that are down, also when the server answers that it is not ready', async () => {
    showScreen(<PlatformRoute />, {
      'GET /joint-api/account': { body: account },
      'GET /health/ready': { status: 503, body: health },
      'GET /joint-api/platform-health': { body: disks },
    });
    expect(await screen.findByText('down')).toBeTruthy();
    expect(screen.getByText('1 down')).toBeTruthy();
    for (const service of ['PostgreSQL', 'MongoDB', 'Redis']) expect(screen.getByText(service)).toBeTruthy();
    expect(screen.queryByText('Object store (S3)')).toBeNull();
  });

  it('says that Trawl is unreachable, also when a proxy answers the health check with a page', async () => {
    showScreen(<PlatformRoute />, { 'GET /health/ready': { status: 502, body: '<h1>Bad Gateway</h1>' } });
    expect(await screen.findByText(/^Trawl cannot answer at the moment \(status 502\)/)).toBeTruthy();
  });

  it('shows one error for all cards that failed for the same reason, and Try again loads all of them', async () => {
    let isDown = true;
    const failure = {
      status: 503,
      body: { error_code: 'service_unavailable', error_message: 'The database is down.' },
    };
    const unlessDown = (body: unknown) => () => (isDown ? failure : { body });
    showScreen(<PlatformRoute />, {
      'GET /joint-api/account': { body: account },
      'GET /joint-api/dashboard': unlessDown({ platform: null }),
      'GET /joint-api/dashboard/platform-series': unlessDown({ hours: [] }),
      'GET /health/ready': unlessDown(health),
      'GET /joint-api/platform-health': unlessDown(disks),
    });
    expect(await screen.findByText('The figures, chart, services and disk space could not be loaded')).toBeTruthy();
    expect(screen.getAllByRole('alert')).toHaveLength(1);
    isDown = false;
    await press('Try again');
    expect(await screen.findByText('PostgreSQL')).toBeTruthy();
    expect(await screen.findByText('Worker north')).toBeTruthy();
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('says since when and why the object store is down', async () => {
    showScreen(<PlatformRoute />, {
      'GET /joint-api/account': { body: account },
      'GET /health/ready': { body: health },
      'GET /joint-api/platform-health': { body: { ...disks, object_store: objectStore } },
    });
    const row = (await screen.findByText('Object store (S3)')).parentElement as HTMLElement;
    expect(row.textContent).toMatch(/down.*trawl-echoes, since .*: TimeoutError: no answer/);
  });

  it('shows while the platform is in maintenance since when, and ends it', async () => {
    const maintenance = { message: 'We move.', until: null, started_at: new Date(Date.now() - 300_000).toISOString() };
    showScreen(<PlatformRoute />, {
      'GET /joint-api/account': { body: { ...account, maintenance } },
      'DELETE /joint-api/maintenance': { body: {} },
    });
    expect((await screen.findByText('In maintenance')).parentElement?.textContent).toContain('5 min ago');
    await press('End maintenance');
    await screen.findByText('The maintenance is over. Waiting runs start.');
    expect(changes().map(({ call }) => call)).toEqual(['DELETE /joint-api/maintenance']);
  });

  it('shows the figures of all accounts with the runs, failures and rows of each hour as bars', async () => {
    const today = { total: 12, capped: false, start: 1, pause: 0, stop: 0, end: 8, error: 3 };
    const platform = {
      users: 14,
      storage_bytes: GB,
      runs: { under_way: 2, waiting: 3, today },
      workers: { online: 0, total: 4 },
      last_hour: { runs: 90, capped: false, ended: 80, failed: 20, wait_ms_p95: 1_500 },
      oldest_waiting_ms: 61_000,
    };
    const hour = { start: 0, pause: 0, stop: 0, end: 2, error: 1, rows: 1_200, wait_ms_median: 5, wait_ms_max: 9 };
    // If there are more than 50,000 runs, the series leaves out the earlier hours.
    const hours = [
      { ...hour, hour: '2026-11-22T05:00:00.000Z' },
      { ...hour, hour: '2026-11-22T06:00:00.000Z', rows: 0 },
    ];
    showScreen(
      <PlatformRoute />,
      {
        'GET /joint-api/account': { body: account },
        'GET /joint-api/dashboard': { body: { platform } },
        'GET /joint-api/dashboard/platform-series': { body: { hours } },
      },
      '/admin/here',
    );
    await screen.findByText('0 of 4');
    const figures = screen.getByRole('region', { name: 'Figures' });
    await waitFor(() => expect(figures.querySelectorAll('.spark')).toHaveLength(4));
    const scales = [...figures.querySelectorAll('.spark-scale')].map(({ textContent }) => textContent);
    expect(scales).toEqual(['2 hhighest 0.05', '2 hhighest 1', '2 hhighest 0.009 s', '2 hhighest 1.2k']);
    const rows = [...figures.querySelectorAll('.spark')].at(-1) as Element;
    const bars = [...rows.querySelectorAll('rect:not(.spark-hit)')];
    expect(bars.map(bar => Number(bar.getAttribute('height')))).toEqual([20, 1]);
    expect([...rows.querySelectorAll('title')].map(({ textContent }) => textContent)).toEqual([
      '1 h ago: 1.2k',
      'this hour: 0',
    ]);
    for (const trend of figures.querySelectorAll('.spark')) trend.remove();
    expect(figures.textContent).toBe(
      'In the queue3for up to 1 min 1 sRuns a minute1.5Failed, last hour25%20 runs95 % wait up to1.5 s' +
        'Running now2Rows, 2 h1,200Trawl counts no earlier hours.Workers online0 of 4Accounts141.0 GiB stored',
    );
    expect(screen.getByText('0 of 4').getAttribute('data-tone')).toBe('error');
  });

  it('marks a disk that is nearly full', async () => {
    showScreen(<PlatformRoute />, {
      'GET /joint-api/account': { body: account },
      'GET /health/ready': { body: health },
      'GET /joint-api/platform-health': { body: disks },
    });
    const row = (await screen.findByText('Worker north')).parentElement as HTMLElement;
    expect(row.textContent).toContain('nearly full');
    expect(screen.getByText('Backend').parentElement?.textContent).toContain('enough free');
    expect(screen.getByText('Database').parentElement?.textContent).toContain('3');
  });
});

const message = {
  id: 'm',
  created_at: '2026-11-22T05:00:00Z',
  name: 'Eve',
  email: 'eve@example.com',
  country: 'Croatia',
  subject: '<img src=x onerror=alert(1)>',
  msg: 'Hello <b>there</b>',
  seen_ip: '192.0.2.1',
  referer: 'https://example.com/',
};

describe('contact messages in the panel', () => {
  it('can be answered with a demo account, whose password is shown until the administrator confirms', async () => {
    const made = { id: 'u', username: 'eve@example.com', password: 'seen once', expires_at: '2026-12-06T05:00:00Z' };
    showScreen(<ContactMessagesRoute />, {
      'GET /joint-api/contact-messages/list': listOf(message),
      'POST /joint-api/contact-messages/m/demo-account': { status: 201, body: made },
    });
    await press('<img src=x onerror=alert(1)>');
    await press('Create demo account…');
    await fill('Days until it ends', '3');
    await press('Create demo account');
    expect(await screen.findByDisplayValue('seen once')).toBeTruthy();
    expect(changes()).toMatchObject([{ body: { days: 3 } }]);
    // Escape closes neither the dialog nor the message behind it.
    await act(async () => void fireEvent.keyDown(screen.getByDisplayValue('seen once'), { key: 'Escape' }));
    expect(screen.getByDisplayValue('seen once')).toBeTruthy();
    expect(screen.getByText('Hello <b>there</b>', { selector: '.message-text' })).toBeTruthy();
    await press('I have saved it');
    expect(screen.queryByDisplayValue('seen once')).toBeNull();
  });

  it('are shown as plain text, not HTML, and are deleted only after a confirmation', async () => {
    showScreen(<ContactMessagesRoute />, {
      'GET /joint-api/contact-messages/list': listOf(message),
      'DELETE /joint-api/contact-messages/m': { body: { deleted: { contact_messages: 1 } } },
    });
    await press('<img src=x onerror=alert(1)>');
    expect(await screen.findAllByText('Hello <b>there</b>')).not.toEqual([]);
    expect(document.querySelector('img')).toBeNull();
    expect(screen.getByRole('link', { name: 'Reply by e-mail' }).getAttribute('href')).toMatch(
      /^mailto:eve@example\.com\?subject=Re%3A%20/,
    );
    await press('Delete');
    expect(changes()).toEqual([]);
    await press('Delete message');
    await screen.findByText('The message of Eve is deleted.');
    expect(changes().map(({ call }) => call)).toEqual(['DELETE /joint-api/contact-messages/m']);
  });
});
