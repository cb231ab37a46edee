/** @jest-environment ./panel/jest-environment.cjs */
import { cleanup, screen, within } from '@testing-library/react';
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

afterEach(cleanup);

const row = async (name: string) => within(await screen.findByRole('row', { name: new RegExp(name) }));

describe('the API keys', () => {
  it('tell an account without any what to do next', async () => {
    showScreen(<JointApiRoute />, { [LIST]: listOf() });
    expect(await screen.findByRole('heading', { name: 'Make your first API key' })).toBeTruthy();
  });

  it('say why they could not be loaded, and are there after another try', async () => {
    let isThere = false;
    showScreen(<JointApiRoute />, {
      [LIST]: () => (isThere ? listOf(KEY) : { status: 503, body: { error_message: 'The database is away.' } }),
    });
    expect((await screen.findByRole('alert')).textContent).toContain('The database is away.');
    isThere = true;
    await press('Try again');
    expect((await row('nightly import')).getByText('run')).toBeTruthy();
  });

  it('name the state of each, and offer no revoking of what is revoked', async () => {
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

  it('are made with a name, a scope and an end, and shown until they are kept', async () => {
    showScreen(<JointApiRoute />, {
      [LIST]: listOf(KEY),
      'POST /joint-api/keys/addnew': { status: 201, body: { ...KEY, key: 'trk_shown-once' } },
    });
    await press('New API key');
    await press('Generate key');
    expect(screen.getByText('Say what the key is for')).toBeTruthy();
    await fill('Name', 'nightly import');
    await choose('run');
    await press('Generate key');
    expect(((await screen.findByLabelText('API key')) as HTMLInputElement).value).toBe('trk_shown-once');
    expect(sent.find(({ call }) => call.startsWith('POST'))?.body).toEqual({
      name: 'nightly import',
      scope: 'run',
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
    await press('I have kept it');
    expect(document.body.textContent).not.toContain('trk_shown-once');
    expect(screen.queryByDisplayValue('trk_shown-once')).toBeNull();
  });

  it('say what the server has against a name', async () => {
    showScreen(<JointApiRoute />, {
      [LIST]: listOf(KEY),
      'POST /joint-api/keys/addnew': { status: 409, body: { error_message: 'A key has this name already.' } },
    });
    await press('New API key');
    await fill('Name', 'nightly import');
    await press('Generate key');
    expect((await screen.findByRole('alert')).textContent).toContain('A key has this name already.');
  });

  it('are revoked only after a question', async () => {
    const path = `DELETE /joint-api/keys/${KEY.id}`;
    showScreen(<JointApiRoute />, { [LIST]: listOf(KEY), [path]: { body: { deleted: { api_keys: 1 } } } });
    await press('Revoke nightly import');
    expect(await screen.findByText(/refused from then on/)).toBeTruthy();
    expect(sent.map(({ call }) => call)).not.toContain(path);
    await press('Revoke the key');
    expect(await screen.findByText(/worth nothing from now on/)).toBeTruthy();
    expect(sent.map(({ call }) => call)).toContain(path);
  });
});
