import { act, screen } from '@testing-library/react';
import { toApiError } from '../../api/api-error.js';
import { showScreen } from '../../test-screen.js';
import { notifyError } from './notify.js';

it('notifyError shows no notification when the session has ended: the sign-in page shows the reason', async () => {
  showScreen(null, {});
  const refusal = { error_code: 'unauthorized', error_message: 'Send `Authorization: Bearer <token>`.' };
  await act(async () => notifyError('The file could not be saved', toApiError(refusal, 401)));
  await act(async () => notifyError('The file could not be deleted', toApiError({ error_message: 'Busy.' }, 503)));
  expect(screen.getAllByRole('alert').map(({ textContent }) => textContent)).toEqual([
    'The file could not be deletedBusy.',
  ]);
});
