import { cleanup, screen, waitFor } from '@testing-library/react';
import { changes, choose, fill, listOf, press, pressMore, sent, showScreen } from '../test-screen.js';
import WorkersRoute from './workers.route.js';

const LIST = 'GET /apps/workers/list';
const WORKER = {
  id: 'w1',
  created_at: '2026-02-15T09:30:00.000Z',
  updated_at: '2026-02-15T09:30:00.000Z',
  name: 'paris-1',
  public: false,
  group_id: null,
  ip_address: null,
  version: null,
  status: 'online',
  usable: true,
  may_restart: true,
  sandbox: 'full',
  sandbox_layers: [{ name: 'egress', holds: true, note: null }],
  environments: ['nodejs', 'browser'],
  chromium: { version: '143.0.7499.40', is_old: true },
  nodes: ['24.21.0', '22.23.3'],
  slots: 4,
  free_slots: 3,
  usage: null,
  runs: 1,
  last_seen_at: null,
};
const GROUPS = 'GET /apps/worker-groups/list';
const GROUP = {
  id: 'g1',
  created_at: WORKER.created_at,
  updated_at: WORKER.updated_at,
  name: 'oslo',
  public: true,
  workers: 2,
  connected: 1,
};
const AS_ADMIN = '/admin/workers';

const more = (item: string) => pressMore('paris-1', item);

describe('the workers page', () => {
  it('lets a developer restart workers where that is allowed, but not administer them', async () => {
    showScreen(<WorkersRoute />, { [LIST]: listOf(WORKER, { ...WORKER, id: 'w2', name: 'oslo', may_restart: false }) });
    expect(await screen.findByRole('button', { name: 'Restart paris-1' })).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Restart oslo' })).toBeNull();
    // Phones hide empty cells.
    const ofOslo = screen.getByText('oslo').closest('tr');
    expect(ofOslo?.querySelector('.cell-actions')?.childElementCount).toBe(0);
    expect(screen.queryByRole('button', { name: 'New worker' })).toBeNull();
    expect(screen.queryByRole('button', { name: 'More for paris-1' })).toBeNull();
  });

  it('shows only the worker named in the address until the user asks for all', async () => {
    showScreen(
      <WorkersRoute />,
      {
        [LIST]: listOf({ ...WORKER, id: 'w2', name: 'oslo' }),
        'GET /joint-api/workers/w1': { body: WORKER },
      },
      '/developer/workers?worker_id=w1',
    );
    expect(await screen.findByText('paris-1')).toBeTruthy();
    expect(screen.queryByText('oslo')).toBeNull();
    await press('One worker: show all');
    expect(await screen.findByText('oslo')).toBeTruthy();
  });

  it('says that the worker named in the address does not exist', async () => {
    const gone = { status: 404, body: { error_code: 'not_found', error_message: 'Worker not found' } };
    showScreen(
      <WorkersRoute />,
      { [LIST]: listOf(WORKER), 'GET /joint-api/workers/w1': gone },
      '/developer/workers?worker_id=w1',
    );
    expect(await screen.findByText('You have no such worker')).toBeTruthy();
    await press('One worker: show all');
    expect(await screen.findByText('paris-1')).toBeTruthy();
  });

  it('warns administrators, who can update it, that a worker’s Chromium is old', async () => {
    showScreen(<WorkersRoute />, { [LIST]: listOf(WORKER), [GROUPS]: listOf() }, AS_ADMIN);
    expect(await screen.findByText(/Chromium 143 is old/)).toBeTruthy();
    cleanup();
    showScreen(<WorkersRoute />, { [LIST]: listOf(WORKER) });
    expect(await screen.findByText('paris-1')).toBeTruthy();
    expect(screen.queryByText(/Chromium 143 is old/)).toBeNull();
  });

  it('counts a worker’s live runs again before a restart, because the list may be out of date', async () => {
    showScreen(<WorkersRoute />, {
      [LIST]: listOf({ ...WORKER, runs: 0 }),
      'GET /joint-api/workers/w1': { body: { ...WORKER, runs: 2 } },
    });
    await press('Restart paris-1');
    expect(await screen.findByText('It has 2 live runs')).toBeTruthy();
  });

  it('restarts a worker after its runs have ended, or at once on request', async () => {
    showScreen(<WorkersRoute />, {
      [LIST]: listOf(WORKER),
      'POST /joint-api/workers/w1/restart': { status: 202, body: WORKER },
    });
    await press('Restart paris-1');
    await press('Restart');
    await waitFor(() => expect(changes().map(({ body }) => body)).toEqual([{ mode: 'drain' }]));
    await press('Restart paris-1');
    await choose('At once');
    await press('Restart');
    await waitFor(() => expect(changes().at(-1)?.body).toEqual({ mode: 'stop' }));
  });

  it('opens the restart of the worker that the address names, and closes it', async () => {
    showScreen(<WorkersRoute />, { [LIST]: listOf(WORKER) }, '/developer/here?restart=w1');
    expect(await screen.findByText('Restart paris-1')).toBeTruthy();
    await press('Cancel');
    await waitFor(() => expect(screen.queryByText('Restart paris-1')).toBeNull());
  });

  it('shows the key of a new worker until the user confirms that it is saved', async () => {
    showScreen(
      <WorkersRoute />,
      {
        [LIST]: listOf(WORKER),
        'POST /joint-api/workers/addnew': { status: 201, body: { ...WORKER, key: 'trw_once' } },
      },
      AS_ADMIN,
    );
    await press('New worker');
    await fill('Name', 'paris-1');
    await press('Create worker');
    expect(((await screen.findByLabelText('Worker key')) as HTMLInputElement).value).toBe('trw_once');
    expect(changes().map(({ body }) => body)).toEqual([{ name: 'paris-1', public: false }]);
    const [command, tunnel] = [...document.querySelectorAll('pre')].map(({ textContent }) => textContent);
    // A worker elsewhere refuses plain http, so it goes through a tunnel.
    expect(tunnel).toBe('ssh -N -L 80:127.0.0.1:80 you@localhost');
    expect(command).toBe(
      'TRAWL_URL=http://127.0.0.1:80 \\\nTRAWL_WORKER_KEY=trw_once \\\nTRAWL_DATA_DIR=.trawl-paris-1 \\\nnode worker/dist/main.js',
    );
    expect(screen.getByRole('button', { name: 'Copy Start command' })).toBeTruthy();
    await press('I have saved it');
    expect(screen.queryByDisplayValue('trw_once')).toBeNull();
  });

  it('shows which sandbox layers of a worker are missing and how to enable them', async () => {
    const missing = { name: 'egress', holds: false, note: 'nft was not found; apt-get install nftables' };
    const layers = [{ name: 'own_user', holds: true, note: 'setuid' }, missing];
    showScreen(
      <WorkersRoute />,
      { [LIST]: listOf({ ...WORKER, sandbox: 'reduced', sandbox_layers: layers }) },
      AS_ADMIN,
    );
    await press('Sandbox of paris-1: reduced');
    expect(await screen.findByText(/Some layers are missing/)).toBeTruthy();
    expect(screen.getByText('nft was not found; apt-get install nftables')).toBeTruthy();
    expect(screen.getAllByLabelText('missing')).toHaveLength(1);
  });

  it('tells an administrator to add the first worker', async () => {
    showScreen(<WorkersRoute />, { [LIST]: listOf() }, AS_ADMIN);
    expect(await screen.findByRole('heading', { name: 'Add the first worker' })).toBeTruthy();
  });

  it('replaces the key of a worker only after a confirmation', async () => {
    showScreen(
      <WorkersRoute />,
      {
        [LIST]: listOf(WORKER),
        'POST /joint-api/workers/w1/key': { status: 201, body: { ...WORKER, key: 'trw_new' } },
      },
      AS_ADMIN,
    );
    await more('New key…');
    expect(await screen.findByText(/The old key stops working at once/)).toBeTruthy();
    expect(changes()).toEqual([]);
    await press('Replace key');
    expect(await screen.findByDisplayValue('trw_new')).toBeTruthy();
  });

  it('removes the assignment of a worker to a user', async () => {
    const path = 'DELETE /joint-api/workers/w1/assignments/u1';
    showScreen(
      <WorkersRoute />,
      {
        [LIST]: listOf(WORKER),
        'GET /joint-api/users/list': listOf(),
        'GET /joint-api/workers/w1/assignments/list': listOf({
          worker_id: 'w1',
          user_id: 'u1',
          username: 'ada@example.com',
          created_at: WORKER.created_at,
        }),
        [path]: { body: { deleted: { worker_assignments: 1 } } },
      },
      AS_ADMIN,
    );
    await more('Users…');
    await press('Unassign ada@example.com');
    await waitFor(() => expect(changes().map(({ call }) => call)).toEqual([path]));
  });
});

describe('the worker groups on the workers page', () => {
  const MEMBERS = [
    { ...WORKER, id: 'm1', name: 'oslo-1', group_id: 'g1' },
    { ...WORKER, id: 'm2', name: 'oslo-2', group_id: 'g1', status: 'offline' },
  ];
  const served = {
    [LIST]: ({ call }: { call: string }) => (call.includes('group_id=g1') ? listOf(...MEMBERS) : listOf(WORKER)),
    [GROUPS]: listOf(GROUP),
  };

  it('are listed for administrators with their workers and the command that starts one', async () => {
    showScreen(<WorkersRoute />, served, AS_ADMIN);
    const table = await screen.findByRole('table', { name: 'Workers of oslo' });
    await waitFor(() => expect(table.textContent).toContain('oslo-2'));
    expect(screen.getByText('1 of 2 connected')).toBeTruthy();
    expect(screen.getByLabelText('Start a worker of oslo').textContent).toContain('node worker/dist/main.js');
  });

  it('are not requested for developers', async () => {
    showScreen(<WorkersRoute />, served);
    await screen.findByRole('button', { name: 'Restart paris-1' });
    expect(screen.queryByRole('button', { name: 'New group' })).toBeNull();
    expect(sent.filter(({ call }) => call.includes('worker-groups'))).toEqual([]);
  });

  it('show the key of a new group until the user confirms that it is saved', async () => {
    const created = { status: 201, body: { ...GROUP, key: 'trw_shared' } };
    showScreen(<WorkersRoute />, { ...served, 'POST /joint-api/worker-groups/addnew': created }, AS_ADMIN);
    await press('New group');
    await fill('Name', ' oslo ');
    await press('Create worker group');
    expect(((await screen.findByLabelText('Group key')) as HTMLInputElement).value).toBe('trw_shared');
    expect(changes().map(({ body }) => body)).toEqual([{ name: 'oslo', public: false }]);
    await press('I have saved it');
    expect(screen.queryByDisplayValue('trw_shared')).toBeNull();
  });

  it('get a new key, or are deleted, only after a confirmation', async () => {
    showScreen(
      <WorkersRoute />,
      {
        ...served,
        'POST /joint-api/worker-groups/g1/key': { status: 201, body: { ...GROUP, key: 'trw_new' } },
        'DELETE /joint-api/worker-groups/g1': { body: { deleted: { worker_groups: 1 } } },
      },
      AS_ADMIN,
    );
    await pressMore('oslo', 'New key…');
    await press('Replace key');
    expect(await screen.findByDisplayValue('trw_new')).toBeTruthy();
    await press('I have saved it');
    await pressMore('oslo', 'Delete…');
    await press('Delete worker group');
    expect(changes()).toHaveLength(1);
    await fill('Type oslo to confirm', 'oslo');
    await press('Delete worker group');
    await waitFor(() => expect(changes().at(-1)?.call).toBe('DELETE /joint-api/worker-groups/g1'));
  });

  it('can be renamed, and their assignment to a user can be removed', async () => {
    showScreen(
      <WorkersRoute />,
      {
        ...served,
        'PUT /joint-api/worker-groups/g1': { body: { ...GROUP, name: 'rome' } },
        'GET /joint-api/users/list': listOf(),
        'GET /joint-api/worker-groups/g1/assignments/list': listOf({
          group_id: 'g1',
          user_id: 'u1',
          username: 'ada@example.com',
          created_at: WORKER.created_at,
        }),
        'DELETE /joint-api/worker-groups/g1/assignments/u1': { body: { deleted: { worker_group_assignments: 1 } } },
      },
      AS_ADMIN,
    );
    await pressMore('oslo', 'Change…');
    await fill('Name', ' rome ');
    await press('Save worker group');
    await waitFor(() => expect(changes().map(({ body }) => body)).toEqual([{ name: 'rome', public: true }]));
    await pressMore('oslo', 'Users…');
    await press('Unassign ada@example.com');
    await waitFor(() => expect(changes().at(-1)?.call).toBe('DELETE /joint-api/worker-groups/g1/assignments/u1'));
  });

  it('have one shared key: the menu of their workers offers no new key', async () => {
    showScreen(<WorkersRoute />, { [LIST]: listOf(MEMBERS[0]), [GROUPS]: listOf() }, AS_ADMIN);
    await press('More for oslo-1');
    expect(await screen.findByRole('menuitem', { name: 'Users…' })).toBeTruthy();
    expect(screen.queryByRole('menuitem', { name: 'New key…' })).toBeNull();
  });
});
