import { MantineProvider } from '@mantine/core';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import type { ComponentType } from 'react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { lazyScreen } from '../components/lazy-screen.js';
import * as freshPage from './reload-once.js';
import { RouteFailure } from './route-failure.js';

jest.mock('./reload-once.js', () => ({ ...jest.requireActual('./reload-once.js'), reload: jest.fn() }));

const notFetched = 'Failed to fetch dynamically imported module: https://trawl.example/panel/assets/old.js';
/** Status of the HEAD request that checks the server; 0 for no answer. */
let status = 200;

/** Opens a screen whose chunk fails to load, and waits until the panel has handled it. */
const openSkripts = () => open(lazyScreen(() => Promise.reject(new TypeError(notFetched))));

async function open(Component: ComponentType) {
  cleanup();
  const router = createMemoryRouter(
    [
      {
        path: '/skripts',
        Component,
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

describe('a screen whose code fails to load', () => {
  it('makes the browser reload the page once if the server answers, then shows the error', async () => {
    status = 200;
    await openSkripts();
    expect(freshPage.reload).toHaveBeenCalledTimes(1);
    await openSkripts();
    expect(freshPage.reload).toHaveBeenCalledTimes(1);
    expect(screen.getByRole('alert').textContent).toContain(notFetched);
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(freshPage.reload).toHaveBeenCalledTimes(2);
  });

  it.each([0, 502])(
    'says that the server is unreachable at status %i, and reloads the page when it is back',
    async answer => {
      status = answer;
      await openSkripts();
      expect(screen.getByRole('alert').textContent).toContain('Trawl is unreachable');
      await act(async () => jest.advanceTimersByTimeAsync(10_000));
      expect(freshPage.reload).not.toHaveBeenCalled();
      status = 200;
      await act(async () => jest.advanceTimersByTimeAsync(3_000));
      expect(freshPage.reload).toHaveBeenCalledTimes(1);
    },
  );

  it('reloads the page when the user presses Try again', async () => {
    status = 0;
    await openSkripts();
    status = 200;
    await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Try again' })));
    expect(freshPage.reload).toHaveBeenCalledTimes(1);
  });
});

it('a screen that throws while rendering shows its error and says how to report it', async () => {
  await open(() => {
    throw new TypeError('x is null');
  });
  expect(screen.getByRole('alert').textContent).toContain(
    'The panel has a defect: “x is null”. If it happens again, report',
  );
});

it('the loading bar is shown while a screen’s code loads, and disappears if that fails', async () => {
  const isLoading = () => document.documentElement.hasAttribute('data-loading');
  let fail: (cause: Error) => void = () => {};
  await open(
    lazyScreen(
      () =>
        new Promise((_, reject) => {
          fail = reject;
        }),
    ),
  );
  expect(isLoading()).toBe(true);
  await act(async () => fail(new TypeError(notFetched)));
  expect(isLoading()).toBe(false);
});
