import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { inReadingOrder } from '../../values/in-reading-order.js';

/** Lists what a bulk action could not do, with the reason for each row. */
export const showFailures = (title: string, failures: { name: string; message: string }[]): string =>
  modals.open({
    title: inReadingOrder(title),
    size: 'lg',
    children: (
      <ul className="failures">
        {failures.map(({ name, message }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: several may have the same name, and the list never changes.
          <li key={index}>
            <strong>{inReadingOrder(name)}</strong>
            <Text size="sm">{message}</Text>
          </li>
        ))}
      </ul>
    ),
  });
