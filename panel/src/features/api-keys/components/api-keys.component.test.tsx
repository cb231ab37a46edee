import { screen, within } from '@testing-library/react';
import JointApiRoute from '../../../routes/joint-api.route.js';
import { choose, fill, listOf, press, sent, showScreen } from '../../../test-screen.js';

const LIST = 'GET /joint-api/keys/list';
const KEY = {
  id: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071',
  created_at: '2026-02-15T09:30:00.000Z',
  updated_at: '2026-02-15T09:30:00.000Z',
  name: 'nightly import',
  scope: 'run',
  expires_at: '2126-02-15T09:30:00.000Z',
  last_used_at: null,
  revoked_at: null,
};

const row = async (name: string) => within(await screen.findByRole('row', { name: new RegExp(name) }));

describe('the list of API keys', () => {
  it('tells an account without keys to create the first one', async () => {
    showScreen(<JointApiRoute />, { [LIST]: listOf() });
    expect(await screen.findByRole('heading', { name: 'Create your first API key' })).toBeTruthy();
  });

  it('shows why it could not be loaded, and loads when the user presses Try again', async () => {
    let isThere = false;
    showScreen(<JointApiRoute />, {
      [LIST]: () => (isThere ? listOf(KEY) : { status: 503, body: { error_message: 'The database is away.' } }),
    });
    expect((await screen.findByRole('alert')).textContent).toContain('The database is away.');
    isThere = true;
    await press('Try again');
    expect((await row('nightly import')).getByText('run')).toBeTruthy();
  });

  it('shows the state of each key, and has no Revoke button for revoked ones', async () => {
    showScreen(<JointApiRoute />, {
      [LIST]: listOf(
        { ...KEY, id: '1', name: 'fresh' },
        { ...KEY, id: '2', name: 'busy', last_used_at: '2026-02-15T09:31:00.000Z' },
        { ...KEY, id: '3', name: 'late', expires_at: '2026-02-15T09:31:00.000Z' },
        { ...KEY, id: '4', name: 'gone', revoked_at: '2026-02-15T09:31:00.000Z' },
      ),
    });
    expect((await row('fresh')).getByText('never used')).toBeTruthy();
    expect((await row('busy')).getByText('in use')).toBeTruthy();
    expect((await row('late')).getByText('expired')).toBeTruthy();
    expect((await row('gone')).getByText('revoked')).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Revoke gone' })).toBeNull();
  });

  it('creates a key with name, scope and expiry, and shows it until the user confirms', async () => {
    showScreen(<JointApiRoute />, {
      [LIST]: listOf(KEY),
      'POST /joint-api/keys/addnew': { status: 201, body: { ...KEY, key: 'trk_shown-once' } },
    });
    await press('New API key');
    await press('Generate key');
    expect(screen.getByText('Enter a name for the key')).toBeTruthy();
    await fill('Name', 'nightly import');
    await choose('run');
    await press('Generate key');
    expect(((await screen.findByLabelText('API key')) as HTMLInputElement).value).toBe('trk_shown-once');
    expect(sent.find(({ call }) => call.startsWith('POST'))?.body).toEqual({
      name: 'nightly import',
      scope: 'run',
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
    await press('I have saved it');
    expect(document.body.textContent).not.toContain('trk_shown-once');
    expect(screen.queryByDisplayValue('trk_shown-once')).toBeNull();
  });

  it('shows why the server rejected the name of a new key', async () => {
    showScreen(<JointApiRoute />, {
      [LIST]: listOf(KEY),
      'POST /joint-api/keys/addnew': { status: 409, body: { error_message: 'A key has this name already.' } },
    });
    await press('New API key');
    await fill('Name', 'nightly import');
    await press('Generate key');
    expect((await screen.findByRole('alert')).textContent).toContain('A key has this name already.');
  });

  it('revokes a key only after a confirmation', async () => {
    const path = `DELETE /joint-api/keys/${KEY.id}`;
    showScreen(<JointApiRoute />, { [LIST]: listOf(KEY), [path]: { body: { deleted: { api_keys: 1 } } } });
    await press('Revoke nightly import');
    expect(await screen.findByText(/lose access at once/)).toBeTruthy();
    expect(sent.map(({ call }) => call)).not.toContain(path);
    await press('Revoke key');
    expect(await screen.findByText(/no longer works/)).toBeTruthy();
    expect(sent.map(({ call }) => call)).toContain(path);
  });
});
