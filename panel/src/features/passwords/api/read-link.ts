import { api, unwrap } from '../../../api/client.js';

/** Answers the user name of the account whose password the link sets; does not use the link up. */
export const readLink = async (token: string): Promise<string> =>
  (await unwrap(api.POST('/www/users/password-link', { body: { token } }))).username;
