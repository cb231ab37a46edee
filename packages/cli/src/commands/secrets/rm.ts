import { unwrap } from '@trawl/client';
import type { Context } from '../../context.js';
import { EXIT } from '../../exit-codes.js';
import { Failure, Interrupted } from '../../failure.js';
import { connect } from '../../session/connect.js';
import { skriptOrCurrent } from '../../skript-folder/find-folder.js';
import { listSecrets } from '../../skript-folder/send-changes.js';
import { askConsent } from '../../terminal/ask.js';

export interface RmOptions {
  skript?: string;
  /** Do not ask. */
  yes?: boolean;
  dryRun?: boolean;
}

/** Deletes an input secret on the platform. */
export default async function rm(name: string, { skript, yes, dryRun }: RmOptions, context: Context): Promise<void> {
  const trawl = await connect(context);
  const secrets = await listSecrets(trawl, await trawl.skriptId(await skriptOrCurrent(skript)));
  const found = secrets.find(secret => secret.name === name);
  if (!found) throw new Failure(`The skript has no input secret ${JSON.stringify(name)}.`, EXIT.notFound);
  if (dryRun) return context.output.planned(`delete ${name} on the platform`);
  const question = `Delete ${name} on the platform? Its value cannot be restored.`;
  if (!yes && !(await askConsent(question, 'Confirm it with --yes.'))) throw new Interrupted();
  const params = { path: { inputSecret_id: found.id } };
  await unwrap(trawl.api.DELETE('/joint-api/input-secrets/{inputSecret_id}', { params }));
  context.output.result({ deleted: name }, `Deleted ${name}`);
}
