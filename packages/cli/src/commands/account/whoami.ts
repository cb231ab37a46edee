import { unwrap } from '@trawl/client';
import type { Context } from '../../context.js';
import { accountOf, connect, sourceOf } from '../../session/connect.js';
import { readCredentials } from '../../session/credentials.js';

/** Shows the account that commands use. */
export default async function whoami(_options: object, context: Context): Promise<void> {
  const { url, source } = await accountOf(context);
  const { api } = await connect(context);
  const { username, role } = await unwrap(api.GET('/joint-api/account'));
  const { profiles } = await readCredentials();
  const others = Object.keys(profiles).filter(name => source !== sourceOf(name));
  if (others.length > 0) context.output.note(`Other profiles: ${others.join(', ')}`);
  context.output.result({ username, role, url, source }, `${username} (${role}) at ${url}, from ${source}`);
}
