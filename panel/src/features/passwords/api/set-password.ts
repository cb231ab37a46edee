import { api, unwrap } from '../../../api/client.js';

export interface NewPassword {
  /** Of the link in the e-mail. */
  token: string;
  password: string;
}

/** Answers what to tell the visitor. */
export const setPassword = async (body: NewPassword): Promise<string> =>
  (await unwrap(api.POST('/www/users/set-password', { body }))).msg;
