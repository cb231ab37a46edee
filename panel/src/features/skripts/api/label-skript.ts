import { api, unwrap } from '../../../api/client.js';
import type { ListedSkript } from '../../../api/entities.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { useChange } from '../../../components/feedback/use-change.js';

/** Sets the tags of a skript, or whether it is a favourite. */
export const labelSkript = (skriptId: string, labels: Partial<Pick<ListedSkript, 'tags' | 'favourite'>>) =>
  unwrap(api.PUT('/joint-api/skripts/{skript_id}', { params: { path: { skript_id: skriptId } }, body: labels }));

/** Makes a skript a favourite, or no longer. */
export const useSwitchFavourite = () =>
  useChange({
    send: ({ id, favourite }: ListedSkript) => labelSkript(id, { favourite: !favourite }),
    reload: [[...QUERY_KEYS.skripts, 'list']],
    failed: 'The skript could not be changed',
  });

export const useSetTags = () =>
  useChange({
    send: ({ id, tags }: { id: string; tags: string[] }) => labelSkript(id, { tags }),
    reload: [[...QUERY_KEYS.skripts, 'list']],
    failed: 'The tags could not be saved',
  });
