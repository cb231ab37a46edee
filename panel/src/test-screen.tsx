import { MantineProvider } from '@mantine/core';
import { ModalsProvider } from '@mantine/modals';
import { Notifications, notifications } from '@mantine/notifications';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, configure, fireEvent, render, screen } from '@testing-library/react';
import type { ReactNode } from 'react';
import { createMemoryRouter, RouterProvider } from 'react-router';

// To find out what a style sheet hides takes jsdom most of a test's time, and here there are no style sheets.
configure({ defaultHidden: true, asyncUtilTimeout: 20_000 });
jest.setTimeout(60_000);

export interface Sent {
  /** As in `GET /joint-api/keys/list`, with the query. */
  call: string;
  body: unknown;
}

type Served = { status?: number; body: unknown } | ((sent: Sent) => { status?: number; body: unknown });

/** What was sent since the last screen was shown. */
export let sent: Sent[] = [];

const isJson = ({ headers }: Request): boolean => headers.get('content-type') === 'application/json';

const textOf = async (
  input: Request | string,
  init?: RequestInit,
): Promise<[method: string, url: URL, body: string]> =>
  typeof input === 'string'
    ? [init?.method ?? 'GET', new URL(input, window.location.origin), typeof init?.body === 'string' ? init.body : '']
    : [input.method, new URL(input.url), isJson(input) ? await input.text() : ''];

/**
 * Shows a screen in the frame that the panel gives it. `served` answers the API by method and path; what is not in it is
 * answered as if Trawl were out of reach.
 */
export function showScreen(content: ReactNode, served: Record<string, Served>, address = '/developer/here'): void {
  sent = [];
  notifications.clean();
  globalThis.fetch = (async (input: Request | string, init?: RequestInit) => {
    const [method, { pathname, search }, text] = await textOf(input, init);
    const call: Sent = { call: `${method} ${pathname}${search}`, body: text === '' ? null : JSON.parse(text) };
    sent.push(call);
    const answer = served[`${method} ${pathname}`];
    if (!answer) throw new TypeError('Failed to fetch');
    const { status = 200, body } = typeof answer === 'function' ? answer(call) : answer;
    return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
  }) as typeof fetch;
  const router = createMemoryRouter([{ path: '/:role/*', element: content }], { initialEntries: [address] });
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
        <ModalsProvider>
          <Notifications />
          <RouterProvider router={router} />
        </ModalsProvider>
      </QueryClientProvider>
    </MantineProvider>,
  );
}

/** Presses the button of that name, as soon as it is there. */
export async function press(name: string | RegExp): Promise<void> {
  const button = await screen.findByRole('button', { name });
  await act(async () => fireEvent.click(button));
}

export async function fill(label: string | RegExp, value: string): Promise<void> {
  const field = await screen.findByLabelText(label);
  await act(async () => fireEvent.change(field, { target: { value } }));
}

/** Takes the choice of that name, of several. */
export async function choose(name: string | RegExp): Promise<void> {
  const choice = await screen.findByRole('radio', { name });
  await act(async () => fireEvent.click(choice));
}

export const listOf = (...items: unknown[]) => ({ body: { total: items.length, limit: 25, skip: 0, items } });
