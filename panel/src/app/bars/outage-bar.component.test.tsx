import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { ApiError, unreachable } from '../../api/api-error.js';
import { OutageBar } from './outage-bar.js';

const listeners = new Set<[event: string, listener: (reason: string) => void]>();
const socket = {
  connected: true,
  on: (...added: [string, () => void]) => void listeners.add(added),
  off: (event: string, listener: () => void) => {
    for (const entry of listeners) if (entry[0] === event && entry[1] === listener) listeners.delete(entry);
  },
};
const tell = (event: string, reason = '') => {
  for (const [heard, listener] of listeners) if (heard === event) listener(reason);
};
const reconnectLive = jest.fn();
jest.mock('../../live/live-socket.js', () => ({ liveSocket: () => socket, reconnectLive: () => reconnectLive() }));

const AWAY = 'Trawl is unreachable. This page may be out of date.';
let answer: () => Promise<string>;
let queryClient: QueryClient;

function Screen() {
  const { data } = useQuery({ queryKey: ['runs'], queryFn: () => answer() });
  return <p>{data}</p>;
}

const seconds = (count: number) => act(async () => jest.advanceTimersByTimeAsync(count * 1000));
const fail = (error: Error) => {
  answer = () => Promise.reject(error);
  void queryClient.refetchQueries();
  return seconds(0.1);
};
const drop = (reason = 'transport close') => {
  socket.connected = false;
  act(() => tell('disconnect', reason));
};
const connect = async () => {
  socket.connected = true;
  act(() => tell('connect'));
  await seconds(0.1);
};
const warning = () => screen.queryByRole('alert')?.textContent;

beforeEach(async () => {
  jest.useFakeTimers();
  socket.connected = true;
  answer = async () => '12 runs';
  queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={queryClient}>
        <main id="content" tabIndex={-1}>
          <OutageBar />
          <Screen />
        </main>
      </QueryClientProvider>
    </MantineProvider>,
  );
  await seconds(0.1);
});

afterEach(() => {
  cleanup();
  queryClient.clear();
  jest.useRealTimers();
  expect(listeners.size).toBe(0);
});

describe('the outage bar', () => {
  it('appears 2 s after the live connection is lost; when it returns, the panel loads all data again', async () => {
    drop();
    await seconds(1.9);
    expect(warning()).toBeUndefined();
    await seconds(0.2);
    expect(warning()).toBe(AWAY);
    answer = async () => '13 runs';
    await connect();
    expect(warning()).toBeUndefined();
    expect(screen.getByText('13 runs')).toBeTruthy();
  });

  it('does not appear for a short interruption or after the user has signed out', async () => {
    drop();
    await seconds(1);
    await connect();
    drop('io client disconnect');
    await seconds(10);
    expect(warning()).toBeUndefined();
  });

  it('appears when Trawl is unreachable during a refetch, and disappears when a refetch succeeds', async () => {
    await fail(unreachable());
    expect(screen.getByText('12 runs')).toBeTruthy();
    expect(warning()).toBe(AWAY);
    answer = async () => '13 runs';
    await seconds(5.1);
    expect(warning()).toBeUndefined();
    expect(screen.getByText('13 runs')).toBeTruthy();
  });

  it('shows the error of the server, not an outage, when the server answers a refetch with an error', async () => {
    await fail(new ApiError('The request could not be served.', 500, 'internal_error', null, 'r1'));
    expect(warning()).toBe('This page may be out of date: The request could not be served.');
  });

  it('refetches at once when the user presses Retry, and keeps the focus in the page', async () => {
    await fail(unreachable());
    answer = async () => '13 runs';
    const retry = screen.getByRole('button', { name: 'Retry' });
    retry.focus();
    fireEvent.click(retry);
    await seconds(0.1);
    expect(reconnectLive).toHaveBeenCalledTimes(1);
    expect(warning()).toBeUndefined();
    expect(document.activeElement).toBe(document.getElementById('content'));
  });
});
