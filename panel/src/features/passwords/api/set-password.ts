import { api, unwrap } from '../../../api/client.js';

export interface NewPassword {
  /** Token of the link in the e-mail. */
  token: string;
  password: string;
}

/** Sets a new password. Resolves with the message to show. */
export const setPassword = async (body: NewPassword): Promise<string> =>
  (await unwrap(api.POST('/www/users/set-password', { body }))).msg;
