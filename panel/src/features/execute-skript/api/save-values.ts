import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import type { JsonValue } from '../../../api/entities.js';

interface TypedValues {
  skriptId: string;
  input?: { name: string; val: JsonValue };
  inputSecret?: { name: string; val: JsonValue };
}

/** Saves typed values with the skript, because a schedule can use only saved ones. Returns their ids. */
export const useSaveValues = () => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({ skriptId, input, inputSecret }: TypedValues) => {
      const saved =
        input && (await unwrap(api.POST('/joint-api/inputs/addnew', { body: { skript_id: skriptId, ...input } })));
      const secret =
        inputSecret &&
        (await unwrap(api.POST('/joint-api/input-secrets/addnew', { body: { skript_id: skriptId, ...inputSecret } })));
      return { input_id: saved?.id ?? null, inputSecret_id: secret?.id ?? null };
    },
    onSettled: async (_saved, _error, { skriptId }) => {
      await queryClient.invalidateQueries({ queryKey: ['inputs', skriptId] });
      await queryClient.invalidateQueries({ queryKey: ['input-secrets', skriptId] });
    },
  });
};
