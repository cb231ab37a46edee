import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import type { SkriptBody } from '../../../api/entities.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { STARTER_MAIN } from './starter-main.js';

/** Creates a skript with a small main.js, because it cannot run without one. */
async function createSkript(body: SkriptBody) {
  const skript = await unwrap(api.POST('/joint-api/skripts/addnew', { body }));
  await unwrap(
    api.POST('/joint-api/skript-files/addnew', {
      body: { skript_id: skript.id, name: 'main.js', content: STARTER_MAIN },
    }),
  );
  return skript;
}

export const useCreateSkript = () => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: createSkript,
    onSettled: () => queryClient.invalidateQueries({ queryKey: QUERY_KEYS.skripts }),
  });
};
