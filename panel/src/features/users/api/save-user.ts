import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Role } from '@trawl/contracts';
import { api, unwrap } from '../../../api/client.js';
import type { Quotas, User } from '../../../api/entities.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { noticeDone } from '../../../components/notices.js';

/** Without a password an e-mail goes to the address, with a link that sets one. */
export interface NewUser {
  username: string;
  role: Role;
  password?: string;
}

export type UserChange = Partial<Pick<User, 'role' | 'disabled'>> & { quotas?: Quotas };

export const useCreateUser = () => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: NewUser) => unwrap(api.POST('/joint-api/users/addnew', { body })),
    // What was sent holds a password.
    gcTime: 0,
    onSuccess: ({ username, activated }) => {
      noticeDone(activated ? `${username} can sign in now.` : `An e-mail with a link is on its way to ${username}.`);
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
      noticeDone(`${username} is changed.`);
      return queryClient.invalidateQueries({ queryKey: QUERY_KEYS.users });
    },
  });
};
