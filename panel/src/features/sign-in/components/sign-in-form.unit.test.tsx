/** @jest-environment ./panel/jest-environment.cjs */
import { MantineProvider } from '@mantine/core';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import type { SignInResult } from '../api/sign-in.js';
import { SignInForm } from './sign-in-form.js';

afterEach(cleanup);

it('signing in again, the failure of the try before is gone while the server is asked', async () => {
  const answers: Promise<SignInResult>[] = [Promise.resolve({ failure: 'Wrong password.' }), new Promise(() => {})];
  render(
    <MantineProvider env="test">
      <MemoryRouter>
        <SignInForm
          notice={null}
          onNoticeFaded={() => {}}
          signIn={() => answers.shift() as Promise<SignInResult>}
          onSignedIn={() => {}}
        />
      </MemoryRouter>
    </MantineProvider>,
  );
  const submit = () => act(async () => fireEvent.submit(document.querySelector('form') as HTMLFormElement));
  await submit();
  expect(screen.getByRole('alert').textContent).toBe('Wrong password.');
  await submit();
  expect(screen.queryByRole('alert')).toBeNull();
});
