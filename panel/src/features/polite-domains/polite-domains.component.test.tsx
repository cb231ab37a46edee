import { screen, waitFor } from '@testing-library/react';
import PoliteDomainsRoute from '../../routes/skripts/polite-domains.route.js';
import { changes, fill, listOf, press, pressMore, type Served, sent, showScreen } from '../../test-screen.js';

const LIST = 'GET /joint-api/polite-domains/list';
const ROBOTS = { robots: 'obey', crawl_delay_ms: null };
const SHOP = {
  domain: 'shop.example',
  requests_per_second: 0.5,
  burst: 1,
  max_concurrency: 2,
  ...ROBOTS,
  source: 'domain',
  closed_until: null,
};
const CLOSED = {
  domain: 'busy.example:8080',
  requests_per_second: 5,
  burst: 5,
  max_concurrency: null,
  robots: 'warn',
  crawl_delay_ms: 2_500,
  source: 'default',
  closed_until: '2126-01-01T00:00:00.000Z',
};
const USUAL = {
  domain: '*',
  requests_per_second: 5,
  burst: 5,
  max_concurrency: null,
  ...ROBOTS,
  source: 'default',
  closed_until: null,
};

const show = (served: Record<string, Served>, search = '') =>
  showScreen(
    <PoliteDomainsRoute />,
    { 'GET /joint-api/polite-domains/*': { body: USUAL }, ...served },
    `/developer/skripts/polite-domains${search}`,
  );

it('the list shows the budget of each domain, where it comes from, and whether the domain is closed', async () => {
  show({ [LIST]: listOf(SHOP, CLOSED) });
  await screen.findByText('shop.example');
  const rows = screen.getAllByRole('row').slice(1);
  const cells = rows.map(row => [...row.querySelectorAll('td')].slice(1, 7).map(({ textContent }) => textContent));
  expect(cells).toEqual([
    ['0.5', '1', '2', 'obey', 'this domain', 'open'],
    [
      '5',
      '5',
      'no limit',
      'warn, asks for 2.5 s between requests',
      'Trawl',
      expect.stringMatching(/^closed until 1 Jan 2126/),
    ],
  ]);
});

it('an empty list tells how runs become polite, and filters reach the API', async () => {
  show({ [LIST]: listOf() });
  expect(await screen.findByText('No domains yet')).toBeTruthy();
  show({ [LIST]: listOf() }, '?search=x&show=closed');
  expect(await screen.findByText('No matching domains')).toBeTruthy();
  expect(sent.map(({ call }) => call)).toContain(`${LIST}?limit=25&skip=0&sort=domain&domain_contains=x&show=closed`);
});

it('the budget of a domain is set, and what the API refuses stands at its field', async () => {
  const problem = 'domain must be a host such as shop.example';
  show({
    [LIST]: listOf(),
    'PUT /joint-api/polite-domains/a%20b': {
      status: 400,
      body: {
        error_code: 'validation_failed',
        error_message: problem,
        details: [{ field: 'domain', message: problem }],
      },
    },
    'PUT /joint-api/polite-domains/new.example': { body: { ...SHOP, domain: 'new.example' } },
  });
  await press('Set a budget');
  await press('Save');
  expect(await screen.findByText('Enter a host such as shop.example')).toBeTruthy();
  await fill(/^Domain/, 'a b');
  await press('Save');
  expect(await screen.findByText(/must be a host such as/)).toBeTruthy();
  await fill(/^Domain/, 'new.example');
  await fill(/^Requests a second/, '0.5');
  await press('Save');
  expect(await screen.findByText(/^The budget of new.example is saved/)).toBeTruthy();
  expect(changes().at(-1)).toMatchObject({
    call: 'PUT /joint-api/polite-domains/new.example',
    body: { requests_per_second: 0.5, burst: 5, max_concurrency: null, robots: 'obey' },
  });
});

it('a limit of concurrent requests is set, and removed when its field is empty', async () => {
  show({ [LIST]: listOf(SHOP), 'PUT /joint-api/polite-domains/shop.example': { body: SHOP } });
  await press('Change the budget of shop.example');
  await fill(/^Concurrent requests/, '3');
  await press('Save');
  expect(await screen.findByText(/^The budget of shop.example is saved/)).toBeTruthy();
  await press('Change the budget of shop.example');
  await fill(/^Concurrent requests/, '');
  await press('Save');
  await waitFor(() => expect(changes()).toHaveLength(2));
  expect(changes().map(({ body }) => (body as { max_concurrency: unknown }).max_concurrency)).toEqual([3, null]);
});

it('the default of all domains is set', async () => {
  show({ [LIST]: listOf(), 'PUT /joint-api/polite-domains/*': { body: USUAL } });
  await screen.findByText('No domains yet');
  await press('Default budget');
  await fill(/^Burst/, '2');
  await press('Save');
  expect(await screen.findByText(/^The budget of all domains is saved/)).toBeTruthy();
  expect(changes()[0]).toMatchObject({ body: { requests_per_second: 5, burst: 2, max_concurrency: null } });
});

it('a closed domain is opened, and a budget is reset', async () => {
  show({
    [LIST]: listOf(SHOP, CLOSED),
    'POST /joint-api/polite-domains/busy.example%3A8080/reopen': { body: { ...CLOSED, closed_until: null } },
    'DELETE /joint-api/polite-domains/shop.example': { body: { deleted: { polite_domains: 1 } } },
  });
  await pressMore('busy.example:8080', 'Reopen');
  expect(await screen.findByText(/^busy.example:8080 is open/)).toBeTruthy();
  await pressMore('shop.example', 'Reset to default');
  expect(await screen.findByText('shop.example has the default budget again.')).toBeTruthy();
});
