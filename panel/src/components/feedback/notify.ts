import { notifications } from '@mantine/notifications';
import { messageOf } from '../../api/api-error.js';
import { inReadingOrder } from '../values/in-reading-order.js';

export const notifySuccess = (message: string): void => {
  notifications.show({ message: inReadingOrder(message), color: 'sea', autoClose: 5500 });
};

/** Shows an error message until the user closes it. */
export const notifyError = (what: string, error: unknown): void => {
  notifications.show({
    title: inReadingOrder(what),
    message: messageOf(error),
    color: 'red',
    autoClose: false,
  });
};
