import { act, screen } from '@testing-library/react';
import { ApiError, toApiError } from '../../api/api-error.js';
import { press, showScreen } from '../../test-screen.js';
import { LoadFailure } from './load-failure.js';
import { ErrorState } from './states.js';

it.each([
  [400, 'validation_failed', 0],
  [404, 'not_found', 0],
  [503, 'service_unavailable', 1],
] as const)('after status %i offers another try only if it can help', (status, code, buttons) => {
  const error = new ApiError('It failed.', status, code, undefined, null);
  showScreen(<ErrorState what="The skript could not be loaded" error={error} onRetry={() => {}} />, {});
  expect(screen.getByText('It failed.')).toBeTruthy();
  expect(screen.queryAllByRole('button', { name: 'Try again' })).toHaveLength(buttons);
});

it('shows that a retry runs, and keeps the error until it succeeds', async () => {
  let end = () => {};
  const retried = new Promise<void>(resolve => {
    end = resolve;
  });
  showScreen(<ErrorState what="Not loaded" error={new Error('It failed.')} onRetry={() => retried} />, {});
  await press('Try again');
  const isBusy = () => screen.getByRole('button', { name: 'Try again' }).hasAttribute('data-loading');
  expect([isBusy(), screen.queryByText('It failed.') !== null]).toEqual([true, true]);
  await act(async () => end());
  expect(isBusy()).toBe(false);
});

it.each([
  [400, 'validation_failed', true],
  [404, 'not_found', true],
  [503, 'service_unavailable', false],
] as const)(
  'after status %i says whether the address names nothing, and links to the list',
  (status, code, isMissing) => {
    const error = new ApiError('schedule_id must be a UUID, got abc.', status, code, undefined, null);
    const query = { error, refetch: async () => undefined };
    showScreen(<LoadFailure noun="schedule" listHref="/list" listLabel="All schedules" query={query} />, {});
    expect(screen.queryAllByText('There is no schedule at this address')).toHaveLength(isMissing ? 1 : 0);
    expect(screen.queryAllByRole('link', { name: 'All schedules' })).toHaveLength(isMissing ? 1 : 0);
    expect(screen.queryAllByText(/must be a UUID/)).toHaveLength(isMissing ? 0 : 1);
  },
);

it('says what to do after a failure of the server that it does not explain', () => {
  expect(toApiError(null, 500).message).toBe(
    'Trawl cannot answer at the moment (status 500). Wait a minute, then try again. If that does not help, tell your administrator.',
  );
});
