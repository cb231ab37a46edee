import { screen } from '@testing-library/react';
import QueuesRoute from '../../routes/skripts/queues.route.js';
import { changes, listOf, press, pressMore, type Served, sent, showScreen } from '../../test-screen.js';
import { HostsTable } from './hosts-table.js';

const LIST = 'GET /joint-api/queues/list';
const PAGES = {
  id: 'q1',
  name: 'shop-pages',
  waiting: 12_000,
  taken: 4,
  done: 80,
  failed: 2,
  done_per_minute: 1_240,
  bytes: 900,
  next_at: null,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
};

const show = (served: Record<string, Served>, search = '') =>
  showScreen(<QueuesRoute />, served, `/developer/skripts/queues${search}`);

it('the list shows how many requests of a queue wait, are in work, done and failed', async () => {
  show({ [LIST]: listOf(PAGES, { ...PAGES, id: 'q2', name: 'other', failed: 0 }) });
  const link = await screen.findByRole('link', { name: 'shop-pages' });
  expect(link.getAttribute('href')).toBe('/developer/skripts/queues/q1');
  const [first] = screen.getAllByRole('row').slice(1);
  const cells = [...(first?.querySelectorAll('td') ?? [])].map(({ textContent }) => textContent);
  expect(cells.slice(1, 6)).toEqual(['12,000', '4', '80', '2', '1,240']);
  expect(screen.queryByRole('button', { name: 'Retry failed requests of other' })).toBeNull();
});

it('an empty list says what to write in a skript, and a search without a match offers to clear it', async () => {
  show({ [LIST]: listOf() });
  expect(await screen.findByText('No queues yet')).toBeTruthy();
  expect(screen.getByLabelText('main.js').textContent).toContain("queue('shop-pages')");
  show({ [LIST]: listOf() }, '?search=x');
  expect(await screen.findByText('No matching queues')).toBeTruthy();
  expect(sent.map(({ call }) => call)).toEqual([`${LIST}?limit=25&skip=0&sort=-updated_at&name_contains=x`]);
});

it('failed requests are put back', async () => {
  show({ [LIST]: listOf(PAGES), 'POST /joint-api/queues/q1/retry-failed': { body: { retried: 2 } } });
  await press('Retry failed requests of shop-pages');
  expect(await screen.findByText('2 requests of shop-pages will be tried again by the next run.')).toBeTruthy();
  expect(changes()).toMatchObject([{ call: 'POST /joint-api/queues/q1/retry-failed' }]);
});

it('a queue is emptied after a question that says how much goes', async () => {
  show({ [LIST]: listOf(PAGES), 'POST /joint-api/queues/q1/empty': { body: PAGES } });
  await pressMore('shop-pages', 'Empty…');
  expect(await screen.findByText(/^All of its 12,086 requests go/)).toBeTruthy();
  expect(changes()).toEqual([]);
  await press('Empty queue');
  expect(await screen.findByText('The queue shop-pages is empty.')).toBeTruthy();
  expect(changes()).toMatchObject([{ call: 'POST /joint-api/queues/q1/empty' }]);
});

it('a queue is deleted after a question that says how much goes', async () => {
  show({ [LIST]: listOf(PAGES), 'DELETE /joint-api/queues/q1': { body: { deleted: { queues: 1 } } } });
  await pressMore('shop-pages', 'Delete…');
  expect(await screen.findByText(/^All of its 12,086 requests go/)).toBeTruthy();
  expect(changes()).toEqual([]);
  await press('Delete queue');
  expect(await screen.findByText('The queue shop-pages is deleted.')).toBeTruthy();
});

it('hosts show the request that is taken next, and an error as text', async () => {
  const host = { host: 'shop.example', waiting: 1, taken: 0, done: 0, failed: 1 };
  showScreen(<HostsTable queueId="q1" />, {
    'GET /joint-api/queues/q1/hosts': listOf({ ...host, next_url: 'https://shop.example/2', error: '<b>no price</b>' }),
  });
  expect(await screen.findByText('https://shop.example/2')).toBeTruthy();
  expect(screen.getByText('<b>no price</b>')).toBeTruthy();
});
