import { useQueryClient } from '@tanstack/react-query';
import { screen, waitFor, within } from '@testing-library/react';
import { changes, press, showScreen } from '../../test-screen.js';
import { Bell } from './bell.js';

const ACCOUNT = 'GET /joint-api/account';
const LIST = 'GET /joint-api/account/notices/list';
const READ = 'POST /joint-api/account/notices/read';

const notice = (kind: string, id: string | null, read = false) => ({
  id: `${kind} ${id}`,
  event: `${kind}.x`,
  text: `About ${kind}`,
  subject: { kind, id },
  read,
  created_at: new Date().toISOString(),
});

it('the bell shows how many notifications are unread, and lists them with links to what they are about', async () => {
  let unread = 2;
  showScreen(<Bell />, {
    [ACCOUNT]: () => ({ body: { unread_notices: unread } }),
    [LIST]: { body: { total: 3, items: [notice('issue', 'r1'), notice('quota', null), notice('import', 'i1', true)] } },
    [READ]: () => {
      unread = 0;
      return { body: { read: 2 } };
    },
  });
  await press('Notifications, 2 unread');
  const dialog = await screen.findByRole('dialog', { name: 'Notifications' });
  await within(dialog).findByText('About issue');
  expect(
    within(dialog)
      .getAllByRole('link')
      .map(link => link.getAttribute('href')),
  ).toEqual(['/developer/skript-executions/r1', '/developer/account', '/developer/exporters/imports/i1']);
  expect(await screen.findByRole('button', { name: 'Notifications' })).toBeTruthy();
  expect(changes()).toHaveLength(1);
  // Notices that were new when the list opened are still marked.
  expect(within(dialog).getAllByText('new')).toHaveLength(2);
});

it('the bell says what appears in it while there is nothing, and marks nothing as read', async () => {
  showScreen(<Bell />, { [ACCOUNT]: { body: { unread_notices: 0 } }, [LIST]: { body: { total: 0, items: [] } } });
  await press('Notifications');
  await screen.findByText('No notifications');
  expect(changes()).toEqual([]);
});

it('the bell shows why the notifications could not be loaded, and loads them again on request', async () => {
  let isBroken = true;
  showScreen(<Bell />, {
    [ACCOUNT]: { body: { unread_notices: 120 } },
    [LIST]: () => (isBroken ? { status: 500, body: { error_message: 'Broken.' } } : { body: { total: 0, items: [] } }),
  });
  await press('Notifications, 120 unread');
  await screen.findByText('The notifications could not be loaded');
  expect(document.querySelector('.shell-bell')?.textContent).toBe('99+');
  isBroken = false;
  await press('Try again');
  await waitFor(() => expect(screen.getByText('No notifications')).toBeTruthy());
});

function Reload() {
  const queries = useQueryClient();
  return (
    <button type="button" onClick={() => void queries.invalidateQueries()}>
      Reload
    </button>
  );
}

it('a notification that comes while the list is open is marked as read, too', async () => {
  let items = [notice('issue', 'r1')];
  const screenOfBell = (
    <>
      <Bell />
      <Reload />
    </>
  );
  showScreen(screenOfBell, {
    [ACCOUNT]: { body: { unread_notices: 1 } },
    [LIST]: () => ({ body: { total: items.length, items } }),
    [READ]: { body: { read: 1 } },
  });
  await press('Notifications, 1 unread');
  await screen.findByText('About issue');
  await waitFor(() => expect(changes()).toHaveLength(1));
  items = [notice('import', 'i1'), ...items];
  await press('Reload');
  await screen.findByText('About import');
  await waitFor(() => expect(changes()).toHaveLength(2));
});
