/** @jest-environment ./panel/jest-environment.cjs */
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import UsersRoute from '../../routes/users.route.js';
import { fill, listOf, press, sent, showScreen } from '../../test-screen.js';
import { ownQuotas, quotasOf, quotaTexts } from './quotas.js';

const LIST = 'GET /joint-api/users/list';
const USER = {
  id: 'u1',
  created_at: '2026-02-15T09:30:00.000Z',
  updated_at: '2026-02-15T09:30:00.000Z',
  username: 'ada@example.com',
  role: 'developer',
  disabled: false,
  activated: true,
  quotas: { skripts: 5 },
};
const CHANGE = 'PUT /joint-api/users/u1';

const more = async (item: string) => {
  await press('More for ada@example.com');
  const entry = await screen.findByRole('menuitem', { name: item });
  await act(async () => fireEvent.click(entry));
};
const changes = () => sent.filter(({ call }) => !call.startsWith('GET'));
const show = (user: object = USER) =>
  showScreen(<UsersRoute />, { [LIST]: listOf(user), [CHANGE]: { body: user } }, '/admin/users');

afterEach(cleanup);

describe('the users', () => {
  it('are made without a password, which they then set by a link', async () => {
    const body = { ...USER, activated: false };
    showScreen(
      <UsersRoute />,
      { [LIST]: listOf(body), 'POST /joint-api/users/addnew': { status: 201, body } },
      '/admin/users',
    );
    expect(await screen.findByText('no password yet')).toBeTruthy();
    await press('New user');
    await fill('E-mail address', 'ada@example.com');
    await press('Create user');
    expect(await screen.findByText(/An e-mail with a link is on its way/)).toBeTruthy();
    expect(changes().map(sentOne => sentOne.body)).toEqual([{ username: 'ada@example.com', role: 'developer' }]);
  });

  it('are disabled only after a question, and enabled at once', async () => {
    show();
    await more('Disable…');
    expect(await screen.findByText(/Its sessions end at once/)).toBeTruthy();
    expect(changes()).toEqual([]);
    await press('Disable the account');
    await waitFor(() => expect(changes().map(({ body }) => body)).toEqual([{ disabled: true }]));
    cleanup();
    show({ ...USER, disabled: true });
    expect(await screen.findByText('disabled')).toBeTruthy();
    await more('Enable');
    await waitFor(() => expect(changes().map(({ body }) => body)).toEqual([{ disabled: false }]));
  });

  it('get quotas of their own, and give them back when a field is emptied', async () => {
    show();
    await press('Change ada@example.com');
    expect(((await screen.findByLabelText('Skripts')) as HTMLInputElement).value).toBe('5');
    await fill('Skripts', '');
    await fill('API keys', '0');
    await press('Save user');
    await waitFor(() => expect(changes()).toHaveLength(1));
    expect(changes()[0]?.body).toMatchObject({ quotas: { skripts: null, api_keys: 0, databases: null } });
  });

  it('say why one was not changed', async () => {
    const error_message = 'This is your own account.';
    showScreen(<UsersRoute />, { [LIST]: listOf(USER), [CHANGE]: { status: 409, body: { error_message } } });
    await press('Change ada@example.com');
    await press('Save user');
    expect((await screen.findByRole('alert')).textContent).toContain(error_message);
  });
});

it('quotas without limit are quotas of one’s own, unlike those that are empty', () => {
  const quotas = quotasOf({ ...quotaTexts({}), runs_at_once: 0 });
  expect([quotas.runs_at_once, quotas.skripts, ownQuotas(quotas)]).toEqual([0, null, 1]);
});
