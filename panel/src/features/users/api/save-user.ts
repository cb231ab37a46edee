import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Role } from '@trawl/contracts';
import { api, unwrap } from '../../../api/client.js';
import type { Quotas, User } from '../../../api/entities.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { notifySuccess } from '../../../components/feedback/notify.js';

/** A new user. If `password` is missing, the server sends the user an e-mail with a link to set one. */
export interface NewUser {
  username: string;
  role: Role;
  password?: string;
}

export type UserChange = Partial<Pick<User, 'role' | 'disabled' | 'expires_at'>> & { quotas?: Quotas };

export const useCreateUser = () => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: NewUser) => unwrap(api.POST('/joint-api/users/addnew', { body })),
    // The request contains a password, which must not stay in the cache.
    gcTime: 0,
    onSuccess: ({ username, activated }) => {
      notifySuccess(activated ? `${username} can sign in now.` : `Trawl sent ${username} a link to set a password.`);
      return queryClient.invalidateQueries({ queryKey: QUERY_KEYS.users });
    },
  });
};

export const useUpdateUser = (userId: string) => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: UserChange) =>
      unwrap(api.PUT('/joint-api/users/{user_id}', { params: { path: { user_id: userId } }, body })),
    onSuccess: ({ username }) => {
      notifySuccess(`${username} is saved.`);
      return queryClient.invalidateQueries({ queryKey: QUERY_KEYS.users });
    },
  });
};
