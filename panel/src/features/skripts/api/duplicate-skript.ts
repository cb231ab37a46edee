import { api, unwrap } from '../../../api/client.js';
import type { Skript } from '../../../api/entities.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { useChange } from '../../../components/feedback/use-change.js';
import { pack } from '../dropped/pack.js';
import { unpack } from '../dropped/unpack.js';
import { uploadArchive } from './upload-skript.js';

/** Uploads the archive of a skript under another title. It has no input secrets, and no schedules. */
async function duplicate({ skript, title }: { skript: Skript; title: string }): Promise<Skript> {
  const archive = await unwrap(
    api.GET('/joint-api/skripts/{skript_id}/download', {
      params: { path: { skript_id: skript.id } },
      parseAs: 'blob',
    }),
  );
  const files = await unpack(new File([archive as unknown as Blob], 'skript.zip'));
  const manifest = files.find(({ name }) => name === 'manifest.json');
  if (!manifest) throw new Error('The archive of the skript has no manifest.json.');
  const fields = JSON.parse(new TextDecoder().decode(manifest.bytes));
  manifest.bytes = new TextEncoder().encode(JSON.stringify({ ...fields, title }));
  return (await uploadArchive(await pack({ title, files, skipped: [] }), false)).skript;
}

export const useDuplicateSkript = () => useChange({ send: duplicate, reload: [QUERY_KEYS.skripts] });
