import type { EditorView } from '@codemirror/view';
import { MantineProvider } from '@mantine/core';
import { ModalsProvider } from '@mantine/modals';
import { Notifications, notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { act, configure, fireEvent, render, screen } from '@testing-library/react';
import type { ReactNode } from 'react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { PanelQueryClient, queryClient } from './app/query-client.js';

// Let queries also find hidden elements. Checking visibility in jsdom is slow, and the tests load no style sheets.
configure({ defaultHidden: true, asyncUtilTimeout: 20_000 });

export interface Sent {
  /** Method, path and query, such as `GET /joint-api/keys/list?limit=25`. */
  call: string;
  body: unknown;
  /** The header `If-Match`, if the request has one. */
  ifMatch?: string;
  /** The header `Authorization`, if the request has one. */
  authorization?: string;
}

type Answer = { status?: number; body: unknown };
export type Served = Answer | ((sent: Sent) => Answer | Promise<Answer>);

/** All requests that were sent since the last call of `showScreen`. */
export let sent: Sent[] = [];

/** Returns the requests in `sent` that may change data: all but GET requests. */
export const changes = (): Sent[] => sent.filter(({ call }) => !call.startsWith('GET'));

const isJson = ({ headers }: Request): boolean => headers.get('content-type') === 'application/json';

const textOf = async (
  input: Request | string,
  init?: RequestInit,
): Promise<[method: string, url: URL, body: string, headers: Headers]> =>
  typeof input === 'string'
    ? [
        init?.method ?? 'GET',
        new URL(input, window.location.origin),
        typeof init?.body === 'string' ? init.body : '',
        new Headers(init?.headers),
      ]
    : [input.method, new URL(input.url), isJson(input) ? await input.text() : '', input.headers];

/**
 * Renders a screen with the panel's providers. `served` holds the API's responses by method and path; all other
 * requests fail as if the server were unreachable.
 */
export function showScreen(content: ReactNode, served: Record<string, Served>, address = '/developer/here'): void {
  sent = [];
  notifications.clean();
  globalThis.fetch = (async (input: Request | string, init?: RequestInit) => {
    const [method, { pathname, search }, text, headers] = await textOf(input, init);
    const call: Sent = {
      call: `${method} ${pathname}${search}`,
      body: text === '' ? null : JSON.parse(text),
      ifMatch: headers.get('if-match') ?? undefined,
      authorization: headers.get('authorization') ?? undefined,
    };
    sent.push(call);
    const answer = served[`${method} ${pathname}`];
    if (!answer) throw new TypeError('Failed to fetch');
    const { status = 200, body } = typeof answer === 'function' ? await answer(call) : answer;
    return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
  }) as typeof fetch;
  const router = createMemoryRouter([{ path: '/:role/*', element: content }], { initialEntries: [address] });
  render(
    <MantineProvider env="test" withCssVariables={false} withGlobalClasses={false}>
      <QueryClientProvider
        client={
          new PanelQueryClient({
            defaultOptions: { queries: { ...queryClient.getDefaultOptions().queries, retry: false } },
          })
        }
      >
        <ModalsProvider>
          <Notifications />
          <RouterProvider router={router} />
        </ModalsProvider>
      </QueryClientProvider>
    </MantineProvider>,
  );
}

/** Waits for the button with this name and clicks it. */
export async function press(name: string | RegExp): Promise<void> {
  const button = await screen.findByRole('button', { name });
  await act(async () => fireEvent.click(button));
}

/** Opens the menu `More for …` and clicks one of its items. */
export async function pressMore(of: string, item: string): Promise<void> {
  await press(`More for ${of}`);
  await pressItem(item);
}

/** Clicks an item of the open menu. */
export async function pressItem(item: string): Promise<void> {
  const entry = await screen.findByRole('menuitem', { name: item });
  await act(async () => fireEvent.click(entry));
}

export async function fill(label: string | RegExp, value: string): Promise<void> {
  const field = await screen.findByLabelText(label);
  await act(async () => {
    if (field.classList.contains('cm-content')) {
      const view = await viewOf(field);
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: value } });
    } else fireEvent.change(field, { target: { value } });
  });
}

async function viewOf(field: HTMLElement): Promise<EditorView> {
  const view = (await import('@codemirror/view')).EditorView.findFromDOM(field);
  if (!view) throw new Error('The field belongs to no editor.');
  return view;
}

/** Selects the radio button with this name. */
export async function choose(name: string | RegExp): Promise<void> {
  const choice = await screen.findByRole('radio', { name });
  await act(async () => fireEvent.click(choice));
}

export const listOf = (...items: unknown[]) => ({ body: { total: items.length, limit: 25, skip: 0, items } });

/** Runs a test in a window as narrow as a phone's. */
export async function onPhone(test: () => Promise<void>): Promise<void> {
  const desktop = window.matchMedia;
  window.matchMedia = query => ({ ...desktop(query), matches: query === '(max-width: 48em)' });
  try {
    await test();
  } finally {
    window.matchMedia = desktop;
  }
}
