import { type components, unwrap } from '@trawl/client';
import type { Context } from '../../context.js';
import { connect } from '../../session/connect.js';
import { localTime } from '../../terminal/local-time.js';

type ApiKey = components['schemas']['ApiKey'];

/** Lists the API keys of the account, but not the keys themselves. */
export default async function list(_options: object, context: Context): Promise<void> {
  const trawl = await connect(context);
  const query = { limit: 1_000, sort: 'name' };
  const { items } = await unwrap(trawl.api.GET('/joint-api/keys/list', { params: { query } }));
  const columns = {
    NAME: ({ name }: ApiKey) => name,
    SCOPE: ({ scope }: ApiKey) => scope,
    STATE: (key: ApiKey) => stateOf(key),
    EXPIRES: ({ expires_at }: ApiKey) => (expires_at ? localTime(expires_at) : 'never'),
    'LAST USED': ({ last_used_at }: ApiKey) => (last_used_at ? localTime(last_used_at) : 'never'),
  };
  context.output.table(items, columns, 'There are no API keys yet.');
}

function stateOf({ revoked_at, expires_at }: ApiKey): string {
  if (revoked_at) return 'revoked';
  return expires_at && Date.parse(expires_at) <= Date.now() ? 'expired' : 'valid';
}
