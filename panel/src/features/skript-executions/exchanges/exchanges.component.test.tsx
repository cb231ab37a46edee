import { screen, within } from '@testing-library/react';
import { run } from '../../../test-run.js';
import { press, type Served, sent, showScreen } from '../../../test-screen.js';
import ExchangesTab from './exchanges-tab.js';

const LIST = 'GET /joint-api/skript-execution/first/exchanges';
const ONE = 'GET /joint-api/skript-execution/first/exchanges/2';
const FAILED = run({ id: 'first', action: 'error', error_code: 'exception' });

const exchangeOf = (more: object) => ({
  sequence: 1,
  started_at: '2026-01-01T00:00:00.000Z',
  duration_ms: 84,
  via: 'undici',
  method: 'GET',
  url: 'https://shop.example/list',
  status: 200,
  status_text: 'OK',
  content_type: 'text/html',
  body_bytes: 2048,
  is_cut: false,
  error: null,
  ...more,
});
const DENIED = exchangeOf({ sequence: 2, url: 'https://shop.example/denied', status: 403, status_text: 'Forbidden' });
const HANGS = exchangeOf({ sequence: 3, url: 'https://shop.example/hangs', status: null, duration_ms: null });

const show = (served: Record<string, Served>, execution = FAILED) =>
  showScreen(<ExchangesTab execution={execution} />, served);

it('a failed run lists what it saw, and one exchange opens with headers and the source of its body', async () => {
  show({
    [LIST]: { body: { items: [exchangeOf({}), DENIED, HANGS], page: null } },
    [ONE]: {
      body: {
        ...DENIED,
        request_headers: [['authorization', '[redacted]']],
        request_body: { encoding: 'text', data: '{"page":1}' },
        response_headers: [['content-type', 'text/html']],
        body: { encoding: 'text', data: '<script>alert(1)</script><h1>Denied</h1>' },
      },
    },
  });
  const rows = await screen.findAllByRole('button', { expanded: false });
  expect(rows.map(({ textContent }) => textContent)).toEqual([
    '200GEThttps://shop.example/list84 ms · 2.0 KiB',
    '403GEThttps://shop.example/denied84 ms · 2.0 KiB',
    'openGEThttps://shop.example/hangs · 2.0 KiB',
  ]);
  await press(/denied/);
  const body = await screen.findByRole('region', { name: /^Body/ });
  expect(body.textContent).toBe('<script>alert(1)</script><h1>Denied</h1>');
  expect(screen.queryByRole('heading', { name: 'Denied' })).toBeNull();
  expect(screen.getByText('[redacted]')).toBeTruthy();
  await press(/denied/);
  expect(screen.queryByRole('region', { name: /^Body/ })).toBeNull();
  await press('Download HAR');
  expect(sent.at(-1)?.call).toContain('/joint-api/skript-execution/first/exchanges.har');
});

it('a browser run shows its last page as picture, console and source', async () => {
  const page = {
    title: 'Denied',
    url: 'https://shop.example/',
    picture: 'data:image/jpeg;base64,/9j/',
    html: '<h1>Denied</h1>',
    console: [{ type: 'error', text: 'Failed to load' }],
  };
  show({ [LIST]: { body: { items: [], page } } });
  const section = await screen.findByRole('region', { name: 'Last page' });
  expect(within(section).getByRole('img').getAttribute('src')).toBe(page.picture);
  expect(within(section).getByText('Failed to load')).toBeTruthy();
  expect(within(section).getByRole('region', { name: 'Source of the page' }).textContent).toBe(page.html);
});

it.each([
  [run({ id: 'first', action: 'start' }), 'The run is live'],
  [run({ id: 'first', action: 'end' }), 'Nothing was kept'],
  [FAILED, 'Nothing was kept'],
])('says why there is nothing to see: %#', async (execution, title) => {
  show({ [LIST]: { body: { items: [], page: null } } }, execution);
  expect(await screen.findByRole('heading', { name: title })).toBeTruthy();
});

it('a list that fails says why, and can be tried again', async () => {
  let isDown = true;
  show({
    [LIST]: () =>
      isDown
        ? { status: 503, body: { error_message: 'PostgreSQL is down.' } }
        : { body: { items: [DENIED], page: null } },
  });
  expect(await screen.findByText('The exchanges could not be loaded')).toBeTruthy();
  isDown = false;
  await press('Try again');
  expect(await screen.findByRole('button', { name: /denied/ })).toBeTruthy();
});
