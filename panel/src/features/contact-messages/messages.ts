import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.js';
import type { ContactMessage } from '../../api/entities.js';
import { QUERY_KEYS } from '../../api/query-keys.js';
import { useChange } from '../../components/feedback/use-change.js';

const MESSAGES_KEY = ['contact-messages'];

interface MessagesQuery {
  limit: number;
  skip: number;
  sort: string;
}

const messagesQuery = (query: MessagesQuery) =>
  queryOptions({
    queryKey: [...MESSAGES_KEY, query],
    queryFn: ({ signal }) => unwrap(api.GET('/joint-api/contact-messages/list', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });

export const useMessages = (query: MessagesQuery) => useQuery(messagesQuery(query));

export const useDeleteMessage = () =>
  useChange({
    send: ({ id }: ContactMessage) =>
      unwrap(
        api.DELETE('/joint-api/contact-messages/{contact_message_id}', {
          params: { path: { contact_message_id: id } },
        }),
      ),
    reload: [MESSAGES_KEY],
    done: (_, { name }) => `The message of ${name} is deleted.`,
    failed: 'The message could not be deleted',
  });

export const useCreateDemoAccount = (messageId: string) =>
  useChange({
    send: (days: number) =>
      unwrap(
        api.POST('/joint-api/contact-messages/{contact_message_id}/demo-account', {
          params: { path: { contact_message_id: messageId } },
          body: { days },
        }),
      ),
    reload: [QUERY_KEYS.users],
  });
