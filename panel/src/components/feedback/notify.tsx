import { notifications } from '@mantine/notifications';
import { ApiError } from '../../api/api-error.js';
import { inReadingOrder } from '../values/in-reading-order.js';
import { MessageText } from './message-text.js';

export const notifySuccess = (message: string): void => {
  notifications.show({ message: inReadingOrder(message), color: 'sea', autoClose: 5500 });
};

/**
 * Shows an error message until the user closes it. After the end of the session it shows nothing: the sign-in page says
 * so, and the message would still be there after the user has signed in.
 */
export const notifyError = (what: string, error: unknown): void => {
  if (error instanceof ApiError && error.code === 'unauthorized') return;
  notifications.show({
    title: inReadingOrder(what),
    message: <MessageText of={error} />,
    color: 'red',
    autoClose: false,
  });
};
