import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';

/** One input with its value, which lists leave out. */
const inputQuery = (inputId: string) =>
  queryOptions({
    queryKey: ['inputs', 'one', inputId],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/joint-api/inputs/{input_id}', { params: { path: { input_id: inputId } }, signal })),
    // It is about to be changed: never an older one.
    staleTime: 0,
  });

/** Answers the value as JSON text, ready to be changed. */
export const useInputText = () => {
  const queryClient = useQueryClient();
  return async (inputId: string): Promise<string> =>
    JSON.stringify((await queryClient.fetchQuery(inputQuery(inputId))).val, null, 2);
};
