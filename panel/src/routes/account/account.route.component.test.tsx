import { screen, waitFor } from '@testing-library/react';
import { QUOTA_NAMES } from '@trawl/contracts';
import { changes, fill, listOf, press, pressMore, showScreen } from '../../test-screen.js';
import AccountRoute from './account.route.js';

const quotas = Object.fromEntries(QUOTA_NAMES.map(name => [name, { used: 3, limit: name === 'databases' ? 3 : null }]));
const account = {
  id: 'a',
  username: 'ada@example.com',
  role: 'developer',
  expires_at: null,
  has_email: true,
  quotas,
  maintenance: null,
};
const webhook = {
  id: 'w',
  name: 'Team chat',
  url: 'https://example.com/hook',
  events: ['run.failed'],
  enabled: true,
  disabled_reason: null,
  failing_since: null,
};

describe('the account page', () => {
  it('marks the quota that is full', async () => {
    showScreen(<AccountRoute />, { 'GET /joint-api/account': { body: account } });
    expect(await screen.findByText('of 3')).toBeTruthy();
    expect(screen.getAllByText('full')).toHaveLength(1);
  });

  it('does not send a new password if its repetition differs', async () => {
    showScreen(
      <AccountRoute />,
      { 'GET /joint-api/account': { body: account }, 'GET /joint-api/account/sessions/list': listOf() },
      '/developer/account?tab=security',
    );
    await fill('Current password', 'old and salty');
    await fill('New password', 'nets and knots');
    await fill('New password again', 'nets and knot');
    await press('Change password');
    expect(await screen.findByText('This is not the same password')).toBeTruthy();
    expect(changes()).toEqual([]);
  });

  it('names each button that ends a session after that session', async () => {
    const session = {
      id: 's1',
      ip: '10.0.0.1',
      created_at: '2026-01-02T03:04:05Z',
      expires_at: '2026-01-03T03:04:05Z',
    };
    showScreen(
      <AccountRoute />,
      {
        'GET /joint-api/account': { body: account },
        'GET /joint-api/account/sessions/list': listOf(
          { ...session, current: true },
          { ...session, id: 's2', current: false },
        ),
      },
      '/developer/account?tab=security',
    );
    expect(await screen.findByRole('button', { name: 'End this session' })).toBeTruthy();
    await press(/^End the session from 10.0.0.1 since 2 Jan 2026 \d\d:04:05 /);
    expect(screen.getByRole('heading', { name: /^End the session from 10.0.0.1 since .*\?$/ })).toBeTruthy();
  });

  it('deletes the account only with its typed name and its password, and reports a wrong password', async () => {
    const details = [{ field: 'password', message: 'Wrong password' }];
    showScreen(
      <AccountRoute />,
      {
        'GET /joint-api/account': { body: account },
        'POST /joint-api/account/delete': { status: 400, body: { error_message: 'Wrong password.', details } },
      },
      '/developer/account?tab=data',
    );
    await press('Delete account…');
    await fill('Type ada@example.com to confirm', 'ada');
    await fill('Password', 'nets and knots');
    await press('Delete account');
    expect(await screen.findByText('Type ada@example.com')).toBeTruthy();
    expect(changes()).toEqual([]);
    await fill('Type ada@example.com to confirm', 'ada@example.com');
    await press('Delete account');
    expect(await screen.findAllByText(/Wrong password/)).toHaveLength(1);
    expect(changes()).toMatchObject([{ body: { username: 'ada@example.com', password: 'nets and knots' } }]);
  });

  it('says on which day the account ends', async () => {
    const expires_at = '2999-01-02T00:00:00.000Z';
    showScreen(<AccountRoute />, { 'GET /joint-api/account': { body: { ...account, expires_at } } });
    expect(await screen.findByText(/This account ends on \d Jan 2999/)).toBeTruthy();
  });

  it.each([true, false])(
    'warns that e-mails cannot arrive if Trawl has no e-mail address: it has one: %s',
    async has_email => {
      showScreen(
        <AccountRoute />,
        {
          'GET /joint-api/account': { body: { ...account, username: 'developer', has_email } },
          'GET /joint-api/account/notifications': { body: { email_events: [] } },
          'GET /joint-api/webhooks/list': listOf(),
        },
        '/developer/account?tab=notifications',
      );
      await screen.findByText(/developer, developer/);
      await screen.findByText('No webhooks yet');
      expect(screen.queryAllByText('CONTACT_EMAIL')).toHaveLength(has_email ? 0 : 1);
    },
  );

  it.each([
    [{ body: webhook }, 'Deliveries to Team chat'],
    [{ status: 404, body: { error_message: 'There is no webhook w.' } }, 'There is no webhook at this address'],
  ])('names the webhook whose deliveries it lists, or says that it does not exist', async (answer, heading) => {
    showScreen(
      <AccountRoute />,
      {
        'GET /joint-api/account': { body: account },
        'GET /joint-api/webhooks/w': answer,
        'GET /joint-api/webhooks/w/deliveries/list': listOf(),
      },
      '/developer/account?tab=notifications&webhook=w',
    );
    expect(await screen.findByRole('heading', { name: heading })).toBeTruthy();
    expect(screen.getByRole('link', { name: 'All webhooks' }).getAttribute('href')).toContain('tab=notifications');
  });

  it.each([
    ['only at its field', [{ field: 'url', message: 'url must begin with https://' }], 'URL must begin with https://.'],
    ['in an alert if it belongs to no field', [], 'url must begin with https://'],
  ])('shows the reason why a webhook was not saved %s', async (_, details, shown) => {
    showScreen(
      <AccountRoute />,
      {
        'GET /joint-api/account': { body: account },
        'GET /joint-api/account/notifications': { body: { email_events: [] } },
        'GET /joint-api/webhooks/list': listOf(),
        'POST /joint-api/webhooks/addnew': {
          status: 400,
          body: { error_code: 'validation_failed', error_message: 'url must begin with https://', details },
        },
      },
      '/developer/account?tab=notifications',
    );
    await press('New webhook');
    await fill('Name', 'Chat');
    await fill('URL', 'http://example.com');
    await press('Create webhook');
    expect(await screen.findByText('The webhook was not saved')).toBeTruthy();
    expect(screen.getAllByText(/^url must begin with/i).map(({ textContent }) => textContent)).toEqual([shown]);
    expect((screen.getByLabelText('URL') as HTMLInputElement).getAttribute('aria-invalid') === 'true').toBe(
      details.length > 0,
    );
  });

  it('replaces the secret of a webhook after a confirmation, and shows the new one once', async () => {
    showScreen(
      <AccountRoute />,
      {
        'GET /joint-api/account': { body: account },
        'GET /joint-api/account/notifications': { body: { email_events: [] } },
        'GET /joint-api/webhooks/list': listOf(webhook),
        'POST /joint-api/webhooks/w/secret': { body: { ...webhook, secret: 'whsec_new' } },
      },
      '/developer/account?tab=notifications',
    );
    await pressMore('Team chat', 'Replace the secret…');
    expect(changes()).toEqual([]);
    await press('Replace secret');
    expect(await screen.findByDisplayValue('whsec_new')).toBeTruthy();
    await press('I have saved it');
    await waitFor(() => expect(screen.queryByDisplayValue('whsec_new')).toBeNull());
  });
});
