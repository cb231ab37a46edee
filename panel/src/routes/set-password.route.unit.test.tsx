/** @jest-environment ./panel/jest-environment.cjs */
import { MantineProvider } from '@mantine/core';
import { act, cleanup, render, screen } from '@testing-library/react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { SetPasswordRoute } from './set-password.route.js';

beforeAll(() => {
  // jsdom has none; Mantine asks for it.
  window.matchMedia = query =>
    ({ matches: false, media: query, addEventListener: () => {}, removeEventListener: () => {} }) as never;
});
afterEach(cleanup);

describe('the address of a link', () => {
  it('loses its token at once, which a reload still finds', async () => {
    const router = createMemoryRouter([{ path: '/set-password', Component: SetPasswordRoute }], {
      initialEntries: ['/set-password?token=the-token'],
    });
    await act(async () => {
      render(
        <MantineProvider env="test">
          <RouterProvider router={router} />
        </MantineProvider>,
      );
    });
    const { pathname, search, state } = router.state.location;
    expect([pathname, search, state]).toEqual(['/set-password', '', { token: 'the-token' }]);
    expect(screen.getByLabelText('New password')).toBeTruthy();
  });
});
