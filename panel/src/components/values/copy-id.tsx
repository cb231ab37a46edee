import { ActionIcon, CopyButton, Group, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { inReadingOrder } from './in-reading-order.js';

const UUID = /^[0-9a-f-]{36}$/;

/** Shows an id with a copy button. With `short`, only the end of a UUID is shown, but the whole id is copied. */
export function CopyId({ id, short = false, of }: { id: string; short?: boolean; of: string }) {
  return (
    <Group gap={4} wrap="nowrap" component="span" display="inline-flex">
      <span className="mono" title={id}>
        {short && UUID.test(id) ? `…${id.slice(-8)}` : id}
      </span>
      <CopyButton value={id}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? 'Copied' : 'Copy ID'}>
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              onClick={copy}
              aria-label={`Copy the ID of ${inReadingOrder(of)}`}
            >
              {copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </Group>
  );
}
