import { act, screen } from '@testing-library/react';
import { ApiError, toApiError } from '../../api/api-error.js';
import { press, showScreen } from '../../test-screen.js';
import { LoadFailure } from './load-failure.js';
import { ErrorState } from './states.js';

it.each([
  [400, 'validation_failed', 0],
  [403, 'forbidden', 0],
  [404, 'not_found', 0],
  [503, 'service_unavailable', 1],
] as const)('an error with status %i has a Try again button only if retrying can help', (status, code, buttons) => {
  const error = new ApiError('It failed.', status, code, undefined, null);
  showScreen(<ErrorState what="The skript could not be loaded" error={error} onRetry={() => {}} />, {});
  expect(screen.getByText('It failed.')).toBeTruthy();
  expect(screen.queryAllByRole('button', { name: 'Try again' })).toHaveLength(buttons);
});

it('an error stays visible while Try again is busy, until the retry succeeds', async () => {
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
  'a page whose data fails with status %i says that there is no such object (400, 404) or shows the error',
  (status, code, isMissing) => {
    const error = new ApiError('schedule_id must be a UUID, got abc.', status, code, undefined, null);
    const query = { error, refetch: async () => undefined };
    showScreen(<LoadFailure noun="schedule" listHref="/list" listLabel="All schedules" query={query} />, {});
    expect(screen.queryAllByText('There is no schedule at this address')).toHaveLength(isMissing ? 1 : 0);
    expect(screen.queryAllByRole('link', { name: 'All schedules' })).toHaveLength(isMissing ? 1 : 0);
    expect(screen.queryAllByText(/must be a UUID/)).toHaveLength(isMissing ? 0 : 1);
  },
);

it('an error 500 without a message tells the user to wait, retry and ask an administrator', () => {
  expect(toApiError(null, 500).message).toBe(
    'Trawl cannot answer at the moment (status 500). Wait a minute, then try again. If that does not help, tell your administrator.',
  );
});
