import { MantineProvider } from '@mantine/core';
import { act, fireEvent, render, screen } from '@testing-library/react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { readSession, storeSession } from '../../session/session-cookies.js';
import { SetPasswordRoute } from './set-password.route.js';

jest.mock('../../features/passwords/api/set-password.js', () => ({ setPassword: async () => 'As the server says.' }));

async function open() {
  const router = createMemoryRouter(
    [
      { path: '/set-password', Component: SetPasswordRoute },
      { path: '/login', element: null },
    ],
    { initialEntries: ['/set-password#token=the-token'] },
  );
  await act(async () => {
    render(
      <MantineProvider env="test">
        <RouterProvider router={router} />
      </MantineProvider>,
    );
  });
  return router;
}

describe('the link of an e-mail that sets a password', () => {
  it('loses its token from the address at once, but works after a reload', async () => {
    const { pathname, hash, state } = (await open()).state.location;
    expect([pathname, hash, state]).toEqual(['/set-password', '', { token: 'the-token' }]);
    expect(screen.getByLabelText('New password')).toBeTruthy();
  });
});

describe('setting a password by a link', () => {
  it('ends the current session of the browser and forgets the token', async () => {
    storeSession({ username: 'ada@example.com', role: 'developer', token: 'of an earlier session' });
    const router = await open();
    const field = screen.getByLabelText('New password');
    fireEvent.change(field, { target: { value: 'a long password' } });
    await act(async () => fireEvent.submit(field.closest('form') as HTMLFormElement));
    await screen.findByText('As the server says.');
    expect(readSession(document.cookie)).toBeNull();
    expect(router.state.location.state).toBeNull();
  });
});
