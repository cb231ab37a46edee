import { api, unwrap } from '../../../../api/client.js';
import { useChange } from '../../../../components/feedback/use-change.js';
import type { NamedValue } from '../named-values.js';

/** Creates an input if `id` is null, else changes the one with this `id`. If `val` is null, the value stays. */
export const useSaveInput = (skriptId: string) =>
  useChange({
    send: async (edited: NamedValue): Promise<void> => {
      const call =
        edited.id === null
          ? api.POST('/joint-api/inputs/addnew', {
              body: { skript_id: skriptId, name: edited.name, val: edited.val.value },
            })
          : api.PUT('/joint-api/inputs/{input_id}', {
              params: { path: { input_id: edited.id } },
              body: { name: edited.name, ...(edited.val && { val: edited.val.value }) },
            });
      await unwrap(call);
    },
    reload: [['inputs', skriptId]],
  });
