import { screen } from '@testing-library/react';
import ProxyPoolsRoute from '../../routes/proxies/proxy-pools.route.js';
import { changes, fill, listOf, press, pressMore, type Served, sent, showScreen } from '../../test-screen.js';
import { ProxiesTable } from './proxies-table.js';

const LIST = 'GET /joint-api/proxy-pools/list';
const PROXIES = 'GET /joint-api/proxy-pools/p1/proxies/list';
const at = '2026-01-01T00:00:00.000Z';
const USE = { connections: 12_000, failures: 14, bytes_sent: 48_000, bytes_received: 9_600_000, last_used_at: null };
const TIMES = { created_at: at, updated_at: at };
const POOL = {
  id: 'p1',
  name: 'residential',
  is_sticky: true,
  price_per_gb: 3.5,
  proxies: 20,
  resting: 2,
  countries: ['de', 'us'],
  tiers: [1, 2],
  ...USE,
  ...TIMES,
};
const GATE = {
  id: 'x1',
  address: 'http://gate.example:8080',
  country: 'de',
  tier: 2,
  state: 'resting',
  rests_until: '2126-01-01T00:00:00.000Z',
  ...USE,
  ...TIMES,
};
const OLD = { ...GATE, id: 'x3', address: 'socks4://gate.example:1', state: 'unusable', rests_until: null };
const BAD_LINE = 'Line 2: expected http://, https:// or socks5://';
const REFUSED: Served = {
  status: 400,
  body: {
    error_code: 'validation_failed',
    error_message: BAD_LINE,
    details: [{ field: 'lines', message: BAD_LINE }],
  },
};

const show = (served: Record<string, Served>, search = '') =>
  showScreen(<ProxyPoolsRoute />, served, `/developer/skripts/proxies${search}`);
const showPool = (served: Record<string, Served>) => showScreen(<ProxiesTable poolId="p1" />, served);
const cellsOf = (row: Element | undefined) =>
  [...(row?.querySelectorAll('td') ?? [])].map(({ textContent }) => textContent);

it('the list of pools shows their proxies, tags and use', async () => {
  show({ [LIST]: listOf(POOL) });
  const link = await screen.findByRole('link', { name: 'residential' });
  expect(link.getAttribute('href')).toBe('/developer/skripts/proxies/p1');
  expect(cellsOf(screen.getAllByRole('row')[1]).slice(1, 7)).toEqual([
    '20, 2 resting',
    'de, us; tiers 1, 2',
    '12,000',
    '14',
    '9.2 MiB',
    '46.9 KiB',
  ]);
});

it('an empty list of pools says how skripts use one, and a search without a match offers to clear it', async () => {
  show({ [LIST]: listOf() });
  expect(await screen.findByText('No pools yet')).toBeTruthy();
  expect(screen.getByLabelText('main.js').textContent).toContain("pool: 'residential'");
  show({ [LIST]: listOf() }, '?search=x');
  expect(await screen.findByText('No matching pools')).toBeTruthy();
  expect(sent.map(({ call }) => call)).toContain(`${LIST}?limit=25&skip=0&sort=name&name_contains=x`);
});

it('one call adds a pool with its proxies, and a wrong line keeps what was entered', async () => {
  let isRight = false;
  const served: Record<string, Served> = {
    [LIST]: listOf(POOL),
    'POST /joint-api/proxy-pools/addnew': () => (isRight ? { body: POOL } : REFUSED),
  };
  show(served);
  await press('Add a pool');
  await fill(/^Name/, ' residential ');
  await fill(/^Proxies/, 'http://gate.example:8080');
  await press('Add pool');
  expect(await screen.findByText(/^Line 2: expected/)).toBeTruthy();
  isRight = true;
  await press('Add pool');
  expect(await screen.findByText(/^The pool residential is ready/)).toBeTruthy();
  const body = { name: 'residential', is_sticky: false, price_per_gb: null, lines: 'http://gate.example:8080' };
  const call = { call: 'POST /joint-api/proxy-pools/addnew', body };
  expect(changes()).toEqual([call, call]);
});

it('the settings of a pool are changed, and it is deleted after a question', async () => {
  show({
    [LIST]: listOf(POOL),
    'PUT /joint-api/proxy-pools/p1': { body: POOL },
    'DELETE /joint-api/proxy-pools/p1': { body: { deleted: { proxy_pools: 1, proxies: 20 } } },
  });
  await pressMore('residential', 'Settings…');
  await fill(/^Price of a gigabyte/, '');
  await press('Save');
  expect(await screen.findByText('The pool residential is saved.')).toBeTruthy();
  expect(changes()).toMatchObject([{ body: { name: 'residential', is_sticky: true, price_per_gb: null } }]);
  await pressMore('residential', 'Delete…');
  expect(await screen.findByText(/^Its 20 proxies and their figures go with it/)).toBeTruthy();
  await press('Delete pool');
  expect(await screen.findByText('The pool residential is deleted.')).toBeTruthy();
});

it('proxies are added to a pool', async () => {
  show({
    [LIST]: listOf(POOL),
    'POST /joint-api/proxy-pools/p1/proxies/addnew': { body: { added: 2, known: 1 } },
  });
  await press('Add proxies to residential');
  await press('Add proxies');
  expect(await screen.findByText('Enter at least one address')).toBeTruthy();
  await fill(/^Proxies/, 'http://b.example:1');
  await press('Add proxies');
  expect(await screen.findByText(/^2 proxies added to residential. It already had 1 proxy/)).toBeTruthy();
});

it('proxies show their health, and until when they rest', async () => {
  showPool({ [PROXIES]: listOf(GATE, { ...GATE, id: 'x2', country: null, state: 'healthy', rests_until: null }, OLD) });
  await screen.findAllByText('http://gate.example:8080');
  const [first, second, third] = screen.getAllByRole('row').slice(1).map(cellsOf);
  expect(first?.slice(1, 4)).toEqual(['de', '2', expect.stringMatching(/^resting until 1 Jan 2126/)]);
  expect(second?.slice(1, 4)).toEqual(['none', '2', 'healthy']);
  expect(third?.[3]).toBe('unusable scheme or port');
});

it('the tags of a proxy are changed, and the proxy is removed after a question', async () => {
  showPool({
    [PROXIES]: listOf(GATE),
    'PUT /joint-api/proxy-pools/p1/proxies/x1': { body: GATE },
    'DELETE /joint-api/proxy-pools/p1/proxies/x1': { body: { deleted: { proxies: 1 } } },
  });
  await press('Change the tags of http://gate.example:8080');
  await fill(/^Country/, '1x');
  await press('Save');
  expect(await screen.findByText('Enter two letters, such as de')).toBeTruthy();
  await fill(/^Country/, '');
  await fill(/^Tier/, '3');
  await press('Save');
  expect(await screen.findByText('The tags of http://gate.example:8080 are saved.')).toBeTruthy();
  expect(changes()).toMatchObject([{ body: { country: null, tier: 3 } }]);
  await pressMore('http://gate.example:8080', 'Remove…');
  await press('Remove proxy');
  expect(await screen.findByText('http://gate.example:8080 is removed.')).toBeTruthy();
});
