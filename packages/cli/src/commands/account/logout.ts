import { Trawl, TrawlError, unwrap } from '@trawl/client';
import type { Context } from '../../context.js';
import { visibleFetch } from '../../session/connect.js';
import { readCredentials, removeProfile } from '../../session/credentials.js';

/** Ends the session and forgets the key of a profile. */
export default async function logout(_options: object, { output, profile }: Context): Promise<void> {
  const { current, profiles } = await readCredentials();
  const name = profile ?? (process.env.TRAWL_PROFILE || current);
  const found = profiles[name];
  if (!found) return output.result({ profile: name, signed_out: false }, 'You are not signed in.');
  if (found.is_session) {
    const { api } = new Trawl({ url: found.url, key: found.key, retryForMs: 0, fetch: visibleFetch(output) });
    await unwrap(api.POST('/panel/logout')).catch(error => {
      // An expired session has ended already. If Trawl is unreachable, the session ends by itself.
      if (!(error instanceof TrawlError)) throw error;
      if (error.status !== 401) output.warn(`The session was not ended on the platform: ${error.message}`);
    });
  }
  const byDefault = await removeProfile(name);
  if (name === current && byDefault !== name) output.note(`Commands now use the profile ${byDefault}.`);
  output.result({ profile: name, signed_out: true }, `Signed out of ${found.url}`);
}
