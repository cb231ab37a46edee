import { unwrap } from '@trawl/client';
import type { Context } from '../../context.js';
import { accountOf, connect } from '../../session/connect.js';

/** Shows the account that commands use. */
export default async function whoami(_options: object, context: Context): Promise<void> {
  const { url, source } = await accountOf(context);
  const { api } = await connect(context);
  const { username, role } = await unwrap(api.GET('/joint-api/account'));
  context.output.result({ username, role, url, source }, `${username} (${role}) at ${url}, from ${source}`);
}
