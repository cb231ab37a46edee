import type { Role } from '@trawl/contracts';
import { api, unwrap } from '../../../api/client.js';
import type { Quotas, User } from '../../../api/entities.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { useChange } from '../../../components/feedback/use-change.js';

/** A new user. If `password` is missing, the server sends the user an e-mail with a link to set one. */
export interface NewUser {
  username: string;
  role: Role;
  password?: string;
}

export type UserChange = Partial<Pick<User, 'role' | 'disabled' | 'expires_at'>> & { quotas?: Quotas };

export const useCreateUser = () =>
  useChange({
    send: (body: NewUser) => unwrap(api.POST('/joint-api/users/addnew', { body })),
    done: ({ username, activated }) =>
      activated
        ? `${username} can sign in now.`
        : `Trawl wrote ${username} an e-mail with a link to set a password. Without a mail server, it is in the folder data/mail.`,
    reload: [QUERY_KEYS.users],
  });

export const useUpdateUser = (userId: string) =>
  useChange({
    send: (body: UserChange) =>
      unwrap(api.PUT('/joint-api/users/{user_id}', { params: { path: { user_id: userId } }, body })),
    done: ({ username }) => `${username} is saved.`,
    reload: [QUERY_KEYS.users],
  });
