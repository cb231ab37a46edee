import { unwrap } from '@trawl/client';
import type { Context } from '../../context.js';
import { EXIT } from '../../exit-codes.js';
import { Failure } from '../../failure.js';
import { connect } from '../../session/connect.js';
import { type ConfirmOptions, confirm } from '../../terminal/confirm.js';

/** Revokes an API key, named by its name or id. Programs that use it are refused from now on. */
export default async function revoke(named: string, options: ConfirmOptions, context: Context): Promise<void> {
  const trawl = await connect(context);
  const query = { limit: 1_000, sort: '-created_at' };
  const { items } = await unwrap(trawl.api.GET('/joint-api/keys/list', { params: { query } }));
  const key = items.find(({ id, name, revoked_at }) => revoked_at === null && (id === named || name === named));
  if (!key) {
    throw new Failure(`You have no valid API key ${JSON.stringify(named)}. To list them: trawl keys`, EXIT.notFound);
  }
  if (!(await confirm(`revoke the API key ${key.name}`, options, context.output))) return;
  await unwrap(trawl.api.DELETE('/joint-api/keys/{key_id}', { params: { path: { key_id: key.id } } }));
  context.output.result({ revoked: key.id }, `Revoked ${key.name}`);
}
