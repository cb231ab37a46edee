import { api, unwrap } from '../../../api/client.js';

/** Answers what to tell the visitor. */
export const forgotPassword = async (email: string): Promise<string> =>
  (await unwrap(api.POST('/www/users/forgot-password', { body: { email } }))).msg;
