import { act, fireEvent, render, screen } from '@testing-library/react';
import { createMemoryRouter, Link, RouterProvider, useBlocker, useLocation, useNavigate } from 'react-router';
import { press } from '../test-screen.js';
import { GuardedRoute } from './guards.js';
import { clearCookies, storeSession } from './session-cookies.js';

/** A page with unsaved work, which stops a step back in the history. */
function Page() {
  const { pathname } = useLocation();
  const navigate = useNavigate();
  useBlocker(({ historyAction }) => historyAction === 'POP');
  return (
    <>
      <h1>{pathname}</h1>
      <Link to="/developer/workers">Workers</Link>
      <button type="button" onClick={() => void navigate(-1)}>
        Back
      </button>
    </>
  );
}

function Guarded() {
  return (
    <GuardedRoute>
      <Page />
    </GuardedRoute>
  );
}

const heading = () => screen.getByRole('heading').textContent;
const follow = async (name: string) => act(async () => fireEvent.click(screen.getByRole('link', { name })));

beforeEach(() => {
  storeSession({ username: 'ana', role: 'developer', token: 't' });
  const router = createMemoryRouter(
    [
      { path: '/login', element: <h1>Sign in</h1> },
      { path: '/:role/*', Component: Guarded },
    ],
    { basename: '/panel', initialEntries: ['/panel/developer/dashboard', '/panel/developer/skripts/1'] },
  );
  render(<RouterProvider router={router} />);
});
afterEach(clearCookies);

describe('a guarded page of the panel', () => {
  it('opens for users of the role in its address', async () => {
    expect(heading()).toBe('/developer/skripts/1');
    await follow('Workers');
    expect(heading()).toBe('/developer/workers');
  });

  it('is replaced by the sign-in page at the next navigation after the session cookies are gone', async () => {
    clearCookies();
    await follow('Workers');
    expect(heading()).toBe('Sign in');
  });

  it('stays open without session cookies while unsaved work blocks the navigation', async () => {
    clearCookies();
    await press('Back');
    expect(heading()).toBe('/developer/skripts/1');
  });
});
