import type { components } from '@trawl/client';
import type { Context } from '../../context.js';
import { connect } from '../../session/connect.js';
import { skriptOrCurrent } from '../../skript-folder/find-folder.js';
import { listSecrets } from '../../skript-folder/send-changes.js';
import { localTime } from '../../terminal/local-time.js';

type Secret = components['schemas']['InputSecret'];

/** Lists the names of a skript's input secrets. The platform never returns their values. */
export default async function list({ skript }: { skript?: string }, context: Context): Promise<void> {
  const trawl = await connect(context);
  const secrets = await listSecrets(trawl, await trawl.skriptId(await skriptOrCurrent(skript)));
  const columns = {
    NAME: ({ name }: Secret) => name,
    CHANGED: ({ updated_at }: Secret) => localTime(updated_at),
  };
  context.output.table(secrets, columns, 'The skript has no input secrets.');
}
