import { act, cleanup, screen } from '@testing-library/react';
import { clearCookies, storeSession } from '../../session/session-cookies.js';
import { endSession } from '../../session/session-end.js';
import { fill, showScreen } from '../../test-screen.js';
import SqlRoute from './sql.route.js';

const BACK = 'Your statement from before you signed in is back.';

const signIn = () => {
  cleanup();
  storeSession({ username: 'ana', role: 'developer', token: 't' });
  showScreen(<SqlRoute />, {});
};

afterEach(() => {
  clearCookies();
  sessionStorage.clear();
});

it('the SQL console restores a typed statement after the session has ended, and announces it once', async () => {
  signIn();
  await act(async () => endSession());
  signIn();
  await screen.findByLabelText('SQL statement');
  expect(screen.queryByText(BACK)).toBeNull();
  await fill('SQL statement', 'SELECT 42');
  await act(async () => endSession());
  signIn();
  expect((await screen.findByLabelText('SQL statement')).textContent).toBe('SELECT 42');
  expect(screen.getByText(BACK)).toBeTruthy();
  signIn();
  await screen.findByLabelText('SQL statement');
  expect(screen.queryByText(BACK)).toBeNull();
});
