/** @jest-environment ./panel/jest-environment.cjs */
import { MantineProvider } from '@mantine/core';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { lazyCode } from '../components/lazy-code.js';
import * as freshPage from './fresh-page.js';
import { RouteFailure } from './route-failure.js';

jest.mock('./fresh-page.js', () => ({ ...jest.requireActual('./fresh-page.js'), reload: jest.fn() }));

const notFetched = 'Failed to fetch dynamically imported module: https://trawl.example/panel/assets/old.js';
/** The answer to whether the panel is there; 0 for none. */
let status = 200;

/** Opens a screen whose code does not come, and waits until that is dealt with. */
async function openSkripts() {
  cleanup();
  const router = createMemoryRouter(
    [
      {
        path: '/skripts',
        Component: lazyCode(() => Promise.reject(new TypeError(notFetched))),
        errorElement: <RouteFailure />,
      },
    ],
    { initialEntries: ['/skripts'] },
  );
  render(
    <MantineProvider env="test">
      <RouterProvider router={router} />
    </MantineProvider>,
  );
  await act(async () => jest.advanceTimersByTimeAsync(100));
}

beforeEach(() => {
  jest.useFakeTimers();
  jest.spyOn(console, 'error').mockImplementation(() => {});
  globalThis.fetch = async () => {
    if (status === 0) throw new TypeError('Failed to fetch');
    return new Response(null, { status });
  };
});

afterEach(() => {
  cleanup();
  sessionStorage.clear();
  jest.clearAllMocks();
  jest.restoreAllMocks();
  jest.useRealTimers();
});

describe('a screen whose code does not come', () => {
  it('is loaded anew when the panel is there, once, and then says what is wrong', async () => {
    status = 200;
    await openSkripts();
    expect(freshPage.reload).toHaveBeenCalledTimes(1);
    await openSkripts();
    expect(freshPage.reload).toHaveBeenCalledTimes(1);
    expect(screen.getByRole('alert').textContent).toContain(notFetched);
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(freshPage.reload).toHaveBeenCalledTimes(2);
  });

  it.each([0, 502])('says that Trawl is away while it answers %i, and is loaded when it is back', async answer => {
    status = answer;
    await openSkripts();
    expect(screen.getByRole('alert').textContent).toContain('Trawl cannot be reached');
    await act(async () => jest.advanceTimersByTimeAsync(10_000));
    expect(freshPage.reload).not.toHaveBeenCalled();
    status = 200;
    await act(async () => jest.advanceTimersByTimeAsync(3_000));
    expect(freshPage.reload).toHaveBeenCalledTimes(1);
  });

  it('is loaded at a press of Try again', async () => {
    status = 0;
    await openSkripts();
    status = 200;
    await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Try again' })));
    expect(freshPage.reload).toHaveBeenCalledTimes(1);
  });
});
