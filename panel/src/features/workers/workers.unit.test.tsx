/** @jest-environment ./panel/jest-environment.cjs */
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import WorkersRoute from '../../routes/workers.route.js';
import { choose, fill, listOf, press, sent, showScreen } from '../../test-screen.js';

const LIST = 'GET /apps/workers/list';
const WORKER = {
  id: 'w1',
  created_at: '2026-02-15T09:30:00.000Z',
  updated_at: '2026-02-15T09:30:00.000Z',
  name: 'paris-1',
  public: false,
  ip_address: null,
  version: null,
  status: 'online',
  usable: true,
  may_restart: true,
  sandbox: 'full',
  sandbox_layers: [{ name: 'egress', holds: true, note: null }],
  environments: ['nodejs'],
  slots: 4,
  free_slots: 3,
  runs: 1,
  last_seen_at: null,
};
const AS_ADMIN = '/admin/workers';

const more = async (item: string) => {
  await press('More for paris-1');
  const entry = await screen.findByRole('menuitem', { name: item });
  await act(async () => fireEvent.click(entry));
};
const posted = () => sent.filter(({ call }) => !call.startsWith('GET'));

afterEach(cleanup);

describe('the workers', () => {
  it('are restarted by a developer only where that is theirs to do, and never administered', async () => {
    showScreen(<WorkersRoute />, { [LIST]: listOf(WORKER, { ...WORKER, id: 'w2', name: 'oslo', may_restart: false }) });
    expect(await screen.findByRole('button', { name: 'Restart paris-1' })).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Restart oslo' })).toBeNull();
    expect(screen.queryByRole('button', { name: 'New worker' })).toBeNull();
    expect(screen.queryByRole('button', { name: 'More for paris-1' })).toBeNull();
  });

  it('restart after their runs, or at once where that is chosen', async () => {
    showScreen(<WorkersRoute />, {
      [LIST]: listOf(WORKER),
      'POST /joint-api/workers/w1/restart': { status: 202, body: WORKER },
    });
    await press('Restart paris-1');
    await press('Restart');
    await waitFor(() => expect(posted().map(({ body }) => body)).toEqual([{ mode: 'drain' }]));
    await press('Restart paris-1');
    await choose('At once');
    await press('Restart');
    await waitFor(() => expect(posted().at(-1)?.body).toEqual({ mode: 'stop' }));
  });

  it('show a new one’s key until it is kept', async () => {
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
    expect(posted().map(({ body }) => body)).toEqual([{ name: 'paris-1', public: false }]);
    await press('I have kept it');
    expect(screen.queryByDisplayValue('trw_once')).toBeNull();
  });

  it('say which layers of the sandbox are missing, and how to get them', async () => {
    const missing = { name: 'egress', holds: false, note: 'nft was not found; apt-get install nftables' };
    const layers = [{ name: 'own_user', holds: true, note: 'setuid' }, missing];
    showScreen(
      <WorkersRoute />,
      { [LIST]: listOf({ ...WORKER, sandbox: 'reduced', sandbox_layers: layers }) },
      AS_ADMIN,
    );
    await press('Sandbox of paris-1: reduced');
    expect(await screen.findByText(/Layers are missing/)).toBeTruthy();
    expect(screen.getByText('nft was not found; apt-get install nftables')).toBeTruthy();
    expect(screen.getAllByLabelText('missing')).toHaveLength(1);
  });

  it('tell an administrator to add the first', async () => {
    showScreen(<WorkersRoute />, { [LIST]: listOf() }, AS_ADMIN);
    expect(await screen.findByRole('heading', { name: 'Add the first worker' })).toBeTruthy();
  });

  it('get a new key only after a question', async () => {
    showScreen(
      <WorkersRoute />,
      {
        [LIST]: listOf(WORKER),
        'POST /joint-api/workers/w1/key': { status: 201, body: { ...WORKER, key: 'trw_new' } },
      },
      AS_ADMIN,
    );
    await more('New key…');
    expect(await screen.findByText(/The old key ends at once/)).toBeTruthy();
    expect(posted()).toEqual([]);
    await press('End the old key');
    expect(await screen.findByDisplayValue('trw_new')).toBeTruthy();
  });

  it('are taken from the users whom they are assigned to', async () => {
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
    await press('Take it from ada@example.com');
    await waitFor(() => expect(posted().map(({ call }) => call)).toEqual([path]));
  });
});
