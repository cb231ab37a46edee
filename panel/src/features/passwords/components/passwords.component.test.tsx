import { MantineProvider } from '@mantine/core';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import type { ReactNode } from 'react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { toApiError, unreachable } from '../../../api/api-error.js';
import { ForgotPasswordForm } from './forgot-password-form.js';
import { SetPasswordForm } from './set-password-form.js';

let sent: unknown[];
let answer: () => Promise<string>;
let link: () => Promise<string>;
let isDone: boolean;

beforeEach(() => {
  sent = [];
  isDone = false;
  answer = async () => 'As the server says.';
  link = async () => 'ada@example.com';
});
const call = (value: unknown) => {
  sent.push(value);
  return answer();
};

function show(form: ReactNode) {
  const router = createMemoryRouter([
    { path: '/', element: form },
    { path: '/login', element: <h1>Sign in</h1> },
    { path: '/forgot-password', element: <h1>Ask</h1> },
  ]);
  render(
    <MantineProvider env="test">
      <RouterProvider router={router} />
    </MantineProvider>,
  );
}

const readLink = () => link();
const showSetPassword = (token: string | null = 'the-token') =>
  show(<SetPasswordForm token={token} readLink={readLink} setPassword={call} onDone={() => (isDone = true)} />);
const USED = toApiError({ error_message: 'Used.', error_code: 'link_not_usable' }, 422);

async function fill(label: string, value: string) {
  fireEvent.change(screen.getByLabelText(label), { target: { value } });
  await act(async () => fireEvent.submit(screen.getByLabelText(label).closest('form') as HTMLFormElement));
}

const follow = (name: string) => act(async () => fireEvent.click(screen.getByRole('link', { name })));

describe('the form that sets a new password', () => {
  it('sends the password with the token of the link, confirms it and links to the sign-in page', async () => {
    showSetPassword();
    await fill('New password', ' a long password ');
    expect(sent).toEqual([{ token: 'the-token', password: ' a long password ' }]);
    expect(screen.getByText('As the server says.')).toBeTruthy();
    expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'You can sign in now' }));
    expect(isDone).toBe(true);
    await follow('Sign in');
    expect(screen.getByRole('heading', { name: 'Sign in' })).toBeTruthy();
  });

  it('contains the name of the account, so that password managers can save it with the password', async () => {
    showSetPassword();
    const account = (await screen.findByDisplayValue('ada@example.com')) as HTMLInputElement;
    expect([account.readOnly, account.autocomplete, account.form]).toEqual([
      true,
      'username',
      (screen.getByLabelText('New password') as HTMLInputElement).form,
    ]);
  });

  it('reports an invalid link before the user types a password', async () => {
    link = () => Promise.reject(USED);
    showSetPassword();
    expect(await screen.findByRole('link', { name: 'Request a new link' })).toBeTruthy();
    expect(screen.queryByLabelText('New password')).toBeNull();
  });

  it('sets the password even if the account’s name cannot be loaded', async () => {
    link = () => Promise.reject(unreachable());
    showSetPassword();
    await fill('New password', 'a long password');
    expect(screen.getByText('As the server says.')).toBeTruthy();
  });

  it.each([
    [' '.repeat(10), 'Use more than spaces.'],
    ['123456789', 'Use at least 10 characters; you entered 9.'],
    ['x'.repeat(201), 'Use at most 200 characters; you entered 201.'],
  ])('reports the invalid password "%s" and sends nothing', async (password, message) => {
    showSetPassword();
    await fill('New password', password);
    expect(screen.getByText(message)).toBeTruthy();
    expect(document.activeElement).toBe(screen.getByLabelText('New password'));
    expect(sent).toEqual([]);
  });

  it('clears the error when the user types again', async () => {
    showSetPassword();
    await fill('New password', '123456789');
    fireEvent.change(screen.getByLabelText('New password'), { target: { value: '1234567890' } });
    expect(screen.queryByText('Use at least 10 characters; you entered 9.')).toBeNull();
  });

  it('links to the request of a new link if this one is used or missing', async () => {
    answer = () => Promise.reject(USED);
    showSetPassword();
    await fill('New password', 'a long password');
    expect(isDone).toBe(false);
    await follow('Request a new link');
    expect(screen.getByRole('heading', { name: 'Ask' })).toBeTruthy();
    cleanup();
    showSetPassword(null);
    expect(screen.getByRole('link', { name: 'Request a new link' })).toBeTruthy();
  });

  it('keeps the typed password if sending fails, and shows the reason', async () => {
    answer = () => Promise.reject(unreachable());
    showSetPassword();
    await fill('New password', 'a long password');
    expect(screen.getByRole('alert').textContent).toContain('is unreachable');
    expect((screen.getByLabelText('New password') as HTMLInputElement).value).toBe('a long password');
    answer = async () => 'Set now.';
    await fill('New password', 'a long password');
    expect(screen.getByText('Set now.')).toBeTruthy();
  });
});

describe('the form for a forgotten password', () => {
  it('sends the e-mail address without spaces around it, and shows the server’s answer', async () => {
    show(<ForgotPasswordForm forgotPassword={call} />);
    await fill('E-mail', ' ada@example.com ');
    expect(sent).toEqual(['ada@example.com']);
    expect(screen.getByText(/As the server says\./)).toBeTruthy();
    expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Check your mailbox' }));
  });

  it('shows why the request failed, and hides the error during the next attempt', async () => {
    answer = () =>
      Promise.reject(toApiError({ error_message: 'Too many tries.', error_code: 'too_many_requests' }, 429));
    show(<ForgotPasswordForm forgotPassword={call} />);
    await fill('E-mail', 'ada@example.com');
    expect(screen.getByRole('alert').textContent).toBe('Too many tries.');
    answer = () => new Promise(() => {});
    await fill('E-mail', 'ada@example.com');
    expect(screen.queryByRole('alert')).toBeNull();
  });
});
