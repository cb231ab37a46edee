import { act, screen, waitFor } from '@testing-library/react';
import { TablesTable } from '../../features/storage/postgres/tables-table.js';
import { fill, listOf, press, showScreen } from '../../test-screen.js';
import { confirmDelete } from '../feedback/confirm-delete.js';
import { notifyError, notifySuccess } from '../feedback/notify.js';

const NAME = 'bill\u202Efdp.exe';

it('the list of tables shows names without characters that reverse text', async () => {
  showScreen(<TablesTable consoleHref="" />, {
    'GET /joint-api/postgres-tables/list': listOf({ schema: 'public', name: NAME, kind: 'table', size: 0 }),
  });
  const link = await screen.findByRole('link', { name: 'billfdp.exe' });
  // The address needs the whole name.
  expect(link.getAttribute('href')).toContain(encodeURIComponent(NAME));
});

it('notifications show texts without characters that reverse text', async () => {
  showScreen(null, {});
  await act(async () => notifySuccess(`The upload ${NAME} is deleted.`));
  await screen.findByText('The upload billfdp.exe is deleted.');
  await act(async () => notifyError(`${NAME} was not changed`, new Error(`There is no ${NAME}.`)));
  await screen.findByText('billfdp.exe was not changed');
  await screen.findByText('There is no billfdp.exe.');
});

it('a user confirms the deletion of a collection by typing its name without characters that reverse text', async () => {
  let isDeleted = false;
  const ask = () =>
    confirmDelete({
      title: `Delete ${NAME}?`,
      children: '',
      confirmLabel: 'Delete collection',
      typed: NAME,
      onConfirm: () => {
        isDeleted = true;
      },
    });
  showScreen(
    <button type="button" onClick={ask}>
      Ask
    </button>,
    {},
  );
  await press('Ask');
  await screen.findByText('Delete billfdp.exe?');
  await fill('Type billfdp.exe to confirm', 'billfdp.exe');
  await press('Delete collection');
  await waitFor(() => expect(isDeleted).toBe(true));
});
