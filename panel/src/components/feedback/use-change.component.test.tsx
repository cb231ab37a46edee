import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { act, renderHook, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { useChange } from './use-change.js';

const LIST = ['list'];

it('a failed change shows its error at once, even if reloading its list takes long', async () => {
  const client = new QueryClient();
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  );
  const refusal = new Error('Refused.');
  const { result } = renderHook(
    () => {
      useQuery({ queryKey: LIST, queryFn: () => new Promise<string>(() => {}) });
      return useChange({ send: () => Promise.reject(refusal), reload: [LIST] });
    },
    { wrapper },
  );
  const failed = jest.fn();
  act(() => result.current.mutate(undefined, { onError: failed }));
  await waitFor(() => expect(result.current.error).toBe(refusal));
  expect(failed.mock.calls[0]?.[0]).toBe(refusal);
  client.clear();
});
