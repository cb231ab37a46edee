import { api, unwrap } from '../../../api/client.js';

/** Resolves with the name of the user that a password link belongs to. The link stays valid. */
export const readLink = async (token: string): Promise<string> =>
  (await unwrap(api.POST('/www/users/password-link', { body: { token } }))).username;
