import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../client.js';

/** One input with its value, which lists omit. */
const inputQuery = (inputId: string) =>
  queryOptions({
    queryKey: ['inputs', 'one', inputId],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/joint-api/inputs/{input_id}', { params: { path: { input_id: inputId } }, signal })),
    // The user is about to edit the value, so never use a cached one.
    staleTime: 0,
  });

/** Resolves with the value as JSON text for the editor. */
export const useInputText = () => {
  const queryClient = useQueryClient();
  return async (inputId: string): Promise<string> =>
    JSON.stringify((await queryClient.fetchQuery(inputQuery(inputId))).val, null, 2);
};
