/** @jest-environment ./panel/jest-environment.cjs */
import { MantineProvider } from '@mantine/core';
import { act, cleanup, render, screen } from '@testing-library/react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { Page } from './page.js';

function open() {
  const list = (
    <Page title="Skripts">
      <button type="button">New skript</button>
    </Page>
  );
  const router = createMemoryRouter(
    [
      { path: '/skripts', element: list },
      { path: '/skripts/1', element: <Page title="Books">The editor</Page> },
    ],
    { initialEntries: ['/skripts'] },
  );
  render(
    <MantineProvider env="test">
      <RouterProvider router={router} />
    </MantineProvider>,
  );
  return router;
}

afterEach(cleanup);

describe('the heading of a screen', () => {
  it('takes the focus when the button that led there is gone', async () => {
    const router = open();
    screen.getByRole('button', { name: 'New skript' }).focus();
    await act(() => router.navigate('/skripts/1'));
    expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Books' }));
  });

  it('leaves the focus at the beginning of a page that was just loaded', () => {
    open();
    expect(document.activeElement).toBe(document.body);
  });
});
