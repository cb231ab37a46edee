/** @jest-environment ./scripts/jest/panel-environment.cjs */
import { screen } from '@testing-library/react';
import { ApiError } from '../../api/api-error.js';
import { showScreen } from '../../test-screen.js';
import { ErrorState } from './states.js';

it.each([
  [404, 'not_found', 0],
  [503, 'service_unavailable', 1],
] as const)('after status %i offers another try only if it can help', (status, code, buttons) => {
  const error = new ApiError('It failed.', status, code, undefined, null);
  showScreen(<ErrorState what="The skript could not be loaded" error={error} onRetry={() => {}} />, {});
  expect(screen.getByText('It failed.')).toBeTruthy();
  expect(screen.queryAllByRole('button', { name: 'Try again' })).toHaveLength(buttons);
});
