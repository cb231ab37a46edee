import { api, unwrap } from '../../../api/client.js';

/** Requests an e-mail with a password link. Resolves with the message to show. */
export const forgotPassword = async (email: string): Promise<string> =>
  (await unwrap(api.POST('/www/users/forgot-password', { body: { email } }))).msg;
