import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { useLocation } from 'react-router';
import { run } from '../../test-run.js';
import { changes, fill, listOf, type Served, showScreen } from '../../test-screen.js';
import CommandPalette from './command-palette.js';

const FIELD = 'Search, or type a command';
const Address = () => <p>{`address is ${useLocation().pathname}${useLocation().search}`}</p>;
const selected = () => document.querySelector('[data-action][data-selected]')?.textContent;
const hits = () => [...document.querySelectorAll('[data-action]')].map(hit => hit.textContent);
const pressKey = (code: string) => act(async () => void fireEvent.keyDown(screen.getByLabelText(FIELD), { code }));

const EMPTY = listOf();
const SERVED: Record<string, Served> = {
  'GET /joint-api/account': { body: { id: 'a', username: 'dev', role: 'developer', preferences: { rows: 'compact' } } },
  'GET /joint-api/skripts/list': ({ call }) =>
    /title_contains=(pri|bo)/.test(call)
      ? listOf({ id: 's2', title: 'Prices', category: 'shops' }, { id: 's3', title: 'Prints', category: 'shops' })
      : listOf({ id: 's1', title: 'Latest', category: 'shops' }),
  'GET /joint-api/schedules/list': EMPTY,
  'GET /joint-api/mongo-databases/list': listOf({ id: 'd1', name: 'shop' }),
  'GET /joint-api/mongo-collections/d1/list': EMPTY,
  'GET /apps/workers/list': EMPTY,
  'GET /joint-api/users/list': EMPTY,
};

function show(served: Record<string, Served> = {}, address?: string): void {
  Element.prototype.scrollIntoView ??= () => {};
  showScreen(
    <>
      <CommandPalette />
      <Address />
    </>,
    { ...SERVED, ...served },
    address,
  );
}

it('the command palette selects the first search result, and Enter opens it', async () => {
  show();
  await waitFor(() => expect(selected()).toMatch('Latest'));
  await fill(FIELD, 'pri');
  expect(screen.queryByText('Latest')).toBeNull();
  await waitFor(() => expect(selected()).toMatch('Prices'));
  await pressKey('ArrowDown');
  expect(selected()).toMatch('Prints');
  await pressKey('ArrowUp');
  await pressKey('Enter');
  expect(await screen.findByText('address is /developer/skripts/s2')).toBeTruthy();
});

it('the command palette finds runs by a part of their id, schedules, collections, workers and screens', async () => {
  show({
    'GET /joint-api/skript-execution/list': ({ call }) =>
      call.includes('id_contains=5e6f') ? listOf(run({ id: 'aaaaaaaa-5e6f-4000-8000-00000000beef' })) : EMPTY,
    'GET /joint-api/schedules/list': listOf({
      id: 'n',
      name: 'Nightly',
      enabled: false,
      skript: { id: 's', name: 'Shop' },
    }),
    'GET /joint-api/mongo-collections/d1/list': listOf({ name: 'books 5e6f' }),
    'GET /apps/workers/list': listOf({ id: 'w', name: 'paris', status: 'online' }),
  });
  await fill(FIELD, '5E6F');
  await waitFor(() =>
    expect(hits()).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/ · aaaaaaaa-5e6f-4000-8000-00000000beef$/),
        'NightlyShop, paused',
        'books 5e6fshop',
        'parisonline',
      ]),
    ),
  );
  expect(hits().some(hit => hit?.includes('Users'))).toBe(false);
  await act(async () => fireEvent.click(screen.getByText('books 5e6f')));
  expect(await screen.findByText('address is /developer/storage/d1/books%205e6f')).toBeTruthy();
});

it('the command palette finds users for administrators only', async () => {
  const users = { 'GET /joint-api/users/list': listOf({ id: 'u', username: 'ada@example.com' }) };
  show(users, '/admin/here');
  await fill(FIELD, 'ada');
  await waitFor(() => expect(hits()).toContain('ada@example.com'));
});

it('the command palette runs a skript with its default input, and opens the run', async () => {
  show({
    'GET /joint-api/inputs/list': listOf({ id: 'i', name: 'input.json' }),
    'GET /joint-api/input-secrets/list': EMPTY,
    'POST /joint-api/execute-skript/single-worker/start': { body: run({ id: 'new' }) },
  });
  await fill(FIELD, 'run pri');
  await waitFor(() => expect(hits()).toEqual(['Run Prices', 'Run Prints']));
  await pressKey('Enter');
  expect(await screen.findByText('address is /developer/skript-executions/new')).toBeTruthy();
  expect(changes()).toMatchObject([{ body: { skript_id: 's2', worker_id: 'any', input_id: 'i' } }]);
});

it('the command palette pauses schedules and live runs, and says why it could not', async () => {
  show({
    'GET /joint-api/skript-execution/list': ({ call }) => (call.includes('action=start') ? listOf(run()) : EMPTY),
    'GET /joint-api/schedules/list': listOf({
      id: 'n',
      name: 'Nightly',
      enabled: true,
      skript: { id: 's', name: 'Books' },
    }),
    'PUT /joint-api/schedules/n': { status: 404, body: { error_message: 'There is no schedule with this id.' } },
  });
  await fill(FIELD, 'pause bo');
  await waitFor(() => expect(hits()).toEqual(['Pause NightlyBooks', expect.stringMatching(/^Pause Books/)]));
  await pressKey('Enter');
  expect(await screen.findByText('There is no schedule with this id.')).toBeTruthy();
  expect(changes()).toMatchObject([{ call: 'PUT /joint-api/schedules/n', body: { enabled: false } }]);
});

it('the command palette opens the restart of a worker that may be restarted', async () => {
  const worker = { status: 'online', may_restart: true };
  show({
    'GET /apps/workers/list': listOf(
      { ...worker, id: 'w1', name: 'paris-1', may_restart: false },
      { ...worker, id: 'w2', name: 'paris-2', status: 'offline' },
      { ...worker, id: 'w3', name: 'paris-3' },
    ),
  });
  await fill(FIELD, 'restart paris');
  await waitFor(() => expect(hits()).toEqual(['Restart paris-3…online']));
  await pressKey('Enter');
  expect(await screen.findByText('address is /developer/workers?worker_id=w3&restart=w3')).toBeTruthy();
});

it.each([
  ['export bo', 'Export books', '/developer/exporters/new?db_id=d1&collection=books'],
  ['new schedule pri', 'New schedule for Prices', '/developer/scheduler?new=1&start_skript_id=s2'],
])('the command “%s” opens the form of %s', async (text, label, address) => {
  show({ 'GET /joint-api/mongo-collections/d1/list': listOf({ name: 'books' }) });
  await fill(FIELD, text);
  await waitFor(() => expect(selected()).toMatch(label));
  await pressKey('Enter');
  expect(await screen.findByText(`address is ${address}`)).toBeTruthy();
});

it('the command palette shows the verdict of a run, and lists the runs with broken rows', async () => {
  const broken = run({ id: '5e6f', action: 'end', verdict: { level: 'broken', reason: null, findings: [] } });
  show({ 'GET /joint-api/skript-execution/list': listOf(broken) });
  await fill(FIELD, '5e6f');
  expect(await screen.findByText(/^completed, rows broken · /)).toBeTruthy();
  await fill(FIELD, 'broken');
  await act(async () => fireEvent.click(await screen.findByText('Runs with broken rows')));
  expect(await screen.findByText('address is /developer/skript-executions?verdict=broken')).toBeTruthy();
});

it('the command palette opens a screen that the navigation does not have', async () => {
  show();
  await fill(FIELD, 'proxies');
  const proxies = await screen.findByText('Proxies');
  await act(async () => fireEvent.click(proxies));
  expect(await screen.findByText('address is /developer/skripts/proxies')).toBeTruthy();
});

it('the command palette begins a command with a click, and lists the keyboard shortcuts', async () => {
  show();
  await waitFor(() => expect(hits()).toContain('Run a skript…'));
  await act(async () => fireEvent.click(screen.getByText('Run a skript…')));
  await waitFor(() => expect(hits()).toEqual(['Run Latest']));
  await fill(FIELD, 'shortcuts');
  const shortcuts = await screen.findByText('Show keyboard shortcuts');
  await act(async () => fireEvent.click(shortcuts));
  expect(await screen.findByText('Search and replace in the file')).toBeTruthy();
});
