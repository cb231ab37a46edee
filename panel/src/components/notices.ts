import { notifications } from '@mantine/notifications';
import { messageOf } from '../api/api-error.js';

export const noticeDone = (message: string): void => {
  notifications.show({ message, color: 'sea', autoClose: 5500 });
};

/** Stays until it is closed: a failure is not to be missed. */
export const noticeFailed = (what: string, error: unknown): void => {
  notifications.show({ title: what, message: messageOf(error), color: 'red', autoClose: false });
};
