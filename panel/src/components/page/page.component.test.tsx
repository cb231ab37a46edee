import { MantineProvider } from '@mantine/core';
import { act, render, screen } from '@testing-library/react';
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
      { path: '/skripts/1', element: <Page title={'Bo\u202eoks'}>The editor</Page> },
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

describe('the heading of a page', () => {
  it('gets the focus after a navigation whose button no longer exists', async () => {
    const router = open();
    screen.getByRole('button', { name: 'New skript' }).focus();
    await act(() => router.navigate('/skripts/1'));
    expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Books' }));
    expect(document.title).toBe('Books · Trawl');
  });

  it('does not get the focus when the page is first loaded', () => {
    open();
    expect(document.activeElement).toBe(document.body);
  });
});
