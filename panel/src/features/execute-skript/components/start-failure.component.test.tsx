import { screen } from '@testing-library/react';
import { ApiError } from '../../../api/api-error.js';
import { press, showScreen } from '../../../test-screen.js';
import { StartFailure } from './start-failure.js';

it('a refused start of a run that is already live offers Open run and Start anyway', async () => {
  const message = 'This skript is already running. Wait for it, stop it, or start with force=true.';
  const error = new ApiError(message, 409, 'already_running', { execution_id: 'r1' }, null);
  const onForce = jest.fn();
  showScreen(<StartFailure error={error} executionHref={id => `/runs/${id}`} onForce={onForce} />, {});
  expect(screen.getByRole('alert').textContent).not.toContain('force=true');
  expect(screen.getByRole('link', { name: 'Open run' }).getAttribute('href')).toBe('/runs/r1');
  await press('Start anyway');
  expect(onForce).toHaveBeenCalled();
});
