import { QueryClient } from '@tanstack/react-query';
import { isTransient } from '../api/client.js';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) => failures < 2 && isTransient(error),
    },
  },
});
