import { Code } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { messageOf } from '../../api/api-error.js';

const CODE = /`([^`\n]+)`/;

/** A message of the API, or of an error. The API puts names of fields and settings between backticks: they are shown as code. */
export function MessageText({ of }: { of: unknown }): ReactNode {
  // A text that is split by a group has the texts of the group at odd places.
  return messageOf(of)
    .split(CODE)
    .map((part, place) =>
      // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity but their place.
      place % 2 === 1 ? <Code key={place}>{part}</Code> : <Fragment key={place}>{part}</Fragment>,
    );
}
