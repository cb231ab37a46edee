import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { ownQuotas, quotasOf, quotaTexts } from '../../features/users/quota-form.js';
import { changes, fill, listOf, press, pressMore, type Sent, sent, showScreen } from '../../test-screen.js';
import UsersRoute from './users.route.js';

const LIST = 'GET /joint-api/users/list';
const USER = {
  id: 'u1',
  created_at: '2026-02-15T09:30:00.000Z',
  updated_at: '2026-02-15T09:30:00.000Z',
  username: 'ada@example.com',
  role: 'developer',
  disabled: false,
  activated: true,
  expires_at: null,
  quotas: { skripts: 5 },
};
const CHANGE = 'PUT /joint-api/users/u1';

const more = (item: string) => pressMore('ada@example.com', item);
/** Waits for a text in the table: a filter above it offers the same words. */
const inTable = async (text: string) => within(await screen.findByRole('table')).findByText(text);
const show = (user: object = USER) =>
  showScreen(<UsersRoute />, { [LIST]: listOf(user), [CHANGE]: { body: user } }, '/admin/users');

describe('the users page of administrators', () => {
  it('creates a user without a password, who gets a link to set it', async () => {
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
    expect(await screen.findByText(/Trawl wrote ada@example.com an e-mail with a link/)).toBeTruthy();
    expect(changes().map(sentOne => sentOne.body)).toEqual([{ username: 'ada@example.com', role: 'developer' }]);
  });

  it('disables a user only after a confirmation, and enables one at once', async () => {
    show();
    await more('Disable…');
    expect(await screen.findByText(/Its sessions end at once/)).toBeTruthy();
    expect(changes()).toEqual([]);
    await press('Disable account');
    await waitFor(() => expect(changes().map(({ body }) => body)).toEqual([{ disabled: true }]));
    cleanup();
    show({ ...USER, disabled: true });
    expect(await inTable('disabled')).toBeTruthy();
    await more('Enable');
    await waitFor(() => expect(changes().map(({ body }) => body)).toEqual([{ disabled: false }]));
  });

  it('shows that a user is disabled, also if the list of a search was read before and arrives after', async () => {
    let user = USER;
    let arrive = () => {};
    const late = new Promise<void>(resolve => {
      arrive = resolve;
    });
    const list = async ({ call }: Sent) => {
      const read = listOf(user);
      if (call.includes('name_contains') && !user.disabled) await late;
      return read;
    };
    const change = () => {
      user = { ...USER, disabled: true };
      return { body: user };
    };
    showScreen(<UsersRoute />, { [LIST]: list, [CHANGE]: change }, '/admin/users');
    expect(await screen.findByText('open')).toBeTruthy();
    await fill('Search by name', 'ada');
    await waitFor(() => expect(sent.at(-1)?.call).toContain('name_contains=ada'));
    await more('Disable…');
    await press('Disable account');
    expect(await screen.findByText('ada@example.com is saved.')).toBeTruthy();
    arrive();
    expect(await inTable('disabled')).toBeTruthy();
  });

  it('saves a user’s own quotas, and the default for an empty field', async () => {
    show();
    await press('Change ada@example.com');
    expect(((await screen.findByLabelText('Skripts')) as HTMLInputElement).value).toBe('5');
    await fill('Skripts', '');
    await fill('API keys', '0');
    await press('Save user');
    await waitFor(() => expect(changes()).toHaveLength(1));
    expect(changes()[0]?.body).toMatchObject({ quotas: { skripts: null, api_keys: 0, databases: null } });
  });

  it('saves the day on which an account ends', async () => {
    show();
    await press('Change ada@example.com');
    await fill('Ends', '2999-01-02');
    await press('Save user');
    await waitFor(() => expect(changes()).toHaveLength(1));
    expect(changes()[0]?.body).toMatchObject({ expires_at: new Date(2999, 0, 2).toISOString() });
  });

  it('shows why a change of a user failed', async () => {
    const error_message = 'This is your own account.';
    showScreen(<UsersRoute />, { [LIST]: listOf(USER), [CHANGE]: { status: 409, body: { error_message } } });
    await press('Change ada@example.com');
    await press('Save user');
    expect((await screen.findByRole('alert')).textContent).toContain(error_message);
  });
});

it('an unlimited quota counts as a user’s own quota, an empty field as the default', () => {
  const quotas = quotasOf({ ...quotaTexts({}), runs_at_once: 0 });
  expect([quotas.runs_at_once, quotas.skripts, ownQuotas(quotas)]).toEqual([0, null, 1]);
});
