import { MantineProvider } from '@mantine/core';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { createMemoryRouter, RouterProvider, useLocation, useNavigate } from 'react-router';
import { dashboardPath } from '../../../session/guard-rules.js';
import { AddRole, AutoLogin, GuardedRoute, type LoginState, pathAfterLogin } from '../../../session/guards.js';
import { clearCookies, readSession, type Session, storeSession } from '../../../session/session-cookies.js';
import type { SignInResult } from '../api/sign-in.js';
import { SignInForm } from './sign-in-form.js';

const developer: Session = { username: 'ana', role: 'developer', token: 't' };

let answer: SignInResult | Promise<SignInResult> = { session: developer };
let sent: unknown[] = [];

function LoginPage() {
  const navigate = useNavigate();
  const state = useLocation().state as LoginState | null;
  const notice = state?.notice ?? null;
  const session = readSession(document.cookie);
  const page = (
    <SignInForm
      notice={notice}
      ownDashboard={session && dashboardPath(session.role)}
      onNoticeFaded={() => void navigate('.', { replace: true, state: { ...state, notice: null } })}
      signIn={async credentials => {
        sent.push(credentials);
        return answer;
      }}
      onSignedIn={session => {
        storeSession(session);
        void navigate(pathAfterLogin(state, session.role));
      }}
    />
  );
  return notice ? page : <AutoLogin>{page}</AutoLogin>;
}

function open(path: string) {
  const guarded = (text: string) => (
    <GuardedRoute>
      <h1>{text}</h1>
    </GuardedRoute>
  );
  const router = createMemoryRouter(
    [
      { path: '/login', Component: LoginPage },
      { path: '/skripts/*', Component: AddRole },
      { path: '/:role/dashboard', element: guarded('The dashboard') },
      { path: '/:role/skripts', element: guarded('The skripts') },
    ],
    { basename: '/panel', initialEntries: [path] },
  );
  render(
    <MantineProvider env="test">
      <RouterProvider router={router} />
    </MantineProvider>,
  );
  return router;
}

const text = () => document.body.textContent;

beforeEach(() => {
  jest.useFakeTimers();
  answer = { session: developer };
  sent = [];
});

afterEach(() => {
  cleanup();
  clearCookies();
  jest.useRealTimers();
});

async function signIn() {
  fireEvent.change(screen.getByLabelText('Username or e-mail'), { target: { value: ' ana ' } });
  fireEvent.change(screen.getByLabelText('Password'), { target: { value: ' secret ' } });
  await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Sign in' })));
}

describe('the sign-in form', () => {
  it('sends username and password, stores the session and opens the dashboard', async () => {
    const router = open('/panel/login');
    await signIn();
    expect(sent).toEqual([{ username: 'ana', password: ' secret ' }]);
    expect(document.cookie).toContain('username=ana');
    expect(document.cookie).toContain('role=developer');
    expect(document.cookie).toContain('token=t');
    expect(router.state.location.pathname).toBe('/panel/developer/dashboard');
    expect(screen.getByRole('heading', { name: 'The dashboard' })).toBeTruthy();
  });

  it('shows why signing in failed, and stores no session', async () => {
    answer = { failure: 'Bad Login' };
    open('/panel/login');
    await signIn();
    expect(screen.getByRole('alert').textContent).toBe('Bad Login');
    expect(document.cookie).toBe('');
  });

  it('hides the previous error during the next attempt', async () => {
    answer = { failure: 'Bad Login' };
    open('/panel/login');
    await signIn();
    answer = new Promise(() => {});
    await signIn();
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('redirects a user who is already signed in to the dashboard', () => {
    storeSession(developer);
    open('/panel/login');
    expect(screen.getByRole('heading', { name: 'The dashboard' })).toBeTruthy();
  });
});

describe('a guarded route of the panel', () => {
  it('redirects a signed-out visitor to the sign-in page, with a message for 2100 ms', async () => {
    const router = open('/panel/developer/skripts');
    expect(router.state.location.pathname).toBe('/panel/login');
    expect(screen.getByRole('alert').textContent).toBe('This route is blocked because the user is not logged in');
    await act(async () => jest.advanceTimersByTime(2099));
    expect(screen.queryByRole('alert')).not.toBeNull();
    await act(async () => jest.advanceTimersByTime(1));
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('opens at the requested address after the visitor has signed in', async () => {
    const router = open('/panel/developer/skripts?search=books#end');
    // The message has faded. The place must not be forgotten with it.
    await act(async () => jest.advanceTimersByTime(2100));
    await signIn();
    const { pathname, search, hash } = router.state.location;
    expect(pathname + search + hash).toBe('/panel/developer/skripts?search=books#end');
  });

  it('of another role leads to the user’s own dashboard after signing in', async () => {
    const router = open('/panel/admin/skripts');
    await signIn();
    expect(router.state.location.pathname).toBe('/panel/developer/dashboard');
  });

  it('without a role in its address opens with the role of the user', async () => {
    const visitor = open('/panel/skripts?search=books');
    expect(text()).toContain('This route is blocked because the user is not logged in');
    expect(visitor.state.location.pathname).toBe('/panel/login');
    cleanup();
    storeSession(developer);
    const { pathname, search } = open('/panel/skripts?search=books').state.location;
    expect(pathname + search).toBe('/panel/developer/skripts?search=books');
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('of another role shows a message, then the user’s own dashboard', async () => {
    storeSession(developer);
    const router = open('/panel/admin/skripts');
    expect(text()).toContain("This route is blocked because the user doesn't have valid role");
    await act(async () => jest.advanceTimersByTime(2100));
    expect(router.state.location.pathname).toBe('/panel/developer/dashboard');
  });

  it('of another role shows signed-in users a link to their dashboard, and visitors none', async () => {
    open('/panel/admin/skripts');
    expect(screen.queryByRole('link', { name: 'Open your dashboard' })).toBeNull();
    cleanup();
    storeSession(developer);
    const router = open('/panel/admin/skripts');
    await act(async () => fireEvent.click(screen.getByRole('link', { name: 'Open your dashboard' })));
    expect(router.state.location.pathname).toBe('/panel/developer/dashboard');
  });
});
