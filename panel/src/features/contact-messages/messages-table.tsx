import { Button, Drawer, Group } from '@mantine/core';
import { IconMail, IconTrash, IconUserPlus } from '@tabler/icons-react';
import { useState } from 'react';
import type { ContactMessage } from '../../api/entities.js';
import { confirmDelete } from '../../components/feedback/confirm-delete.js';
import { EmptyState } from '../../components/feedback/states.js';
import { type Column, DataTable } from '../../components/list/data-table.js';
import { useListParams } from '../../components/list/list-params.js';
import { inReadingOrder } from '../../components/values/in-reading-order.js';
import { RelativeTime } from '../../components/values/relative-time.js';
import { DemoAccountModal } from './demo-account-modal.js';
import { useDeleteMessage, useMessages } from './messages.js';

/** Link that starts a reply. The @ stays as it is, because not every mail program decodes it. */
const mailTo = ({ email, subject }: ContactMessage): string =>
  `mailto:${email.split('@').map(encodeURIComponent).join('@')}?subject=${encodeURIComponent(`Re: ${subject}`)}`;

interface MessageProps {
  message: ContactMessage;
  onDemo: () => void;
  onDeleted: () => void;
}

function Message({ message, onDemo, onDeleted }: MessageProps) {
  const remove = useDeleteMessage();
  const { name, email, country, msg, seen_ip: address, referer, created_at: created } = message;
  const confirmDeletion = () =>
    confirmDelete({
      title: `Delete the message of ${inReadingOrder(name)}?`,
      children: 'You cannot undo this. If messages are also sent to a mailbox, the copy there stays.',
      confirmLabel: 'Delete message',
      onConfirm: () => remove.mutate(message, { onSuccess: onDeleted }),
    });
  return (
    <>
      <Group gap="xs" mb="md">
        <Button component="a" href={mailTo(message)} size="xs" leftSection={<IconMail size={14} aria-hidden />}>
          Reply by e-mail
        </Button>
        <Button size="xs" variant="default" leftSection={<IconUserPlus size={14} aria-hidden />} onClick={onDemo}>
          Create demo account…
        </Button>
        <Button
          size="xs"
          color="red"
          variant="subtle"
          loading={remove.isPending}
          leftSection={<IconTrash size={14} aria-hidden />}
          onClick={confirmDeletion}
        >
          Delete
        </Button>
      </Group>
      <p className="message-text">{inReadingOrder(msg)}</p>
      <dl className="facts message-facts">
        <div>
          <dt>From</dt>
          <dd>
            {inReadingOrder(name)}, {country}
          </dd>
        </div>
        <div>
          <dt>E-mail</dt>
          <dd>{email}</dd>
        </div>
        <div>
          <dt>Sent</dt>
          <dd>
            <RelativeTime iso={created} />
          </dd>
        </div>
        <div>
          <dt>Address</dt>
          <dd className="mono">{address}</dd>
        </div>
        <div data-full>
          <dt>Page</dt>
          <dd>{referer ? inReadingOrder(referer) : 'unknown'}</dd>
        </div>
      </dl>
    </>
  );
}

/** Messages from the website's contact form, for administrators. */
export function MessagesTable() {
  const params = useListParams('-created_at');
  const query = useMessages(params.query);
  const [openedId, setOpenedId] = useState<string | null>(null);
  const [demoFor, setDemoFor] = useState<ContactMessage | null>(null);
  const opened = query.data?.items.find(({ id }) => id === openedId);
  const columns: Column<ContactMessage>[] = [
    {
      key: 'subject',
      title: 'Subject',
      lead: true,
      render: message => (
        <>
          <button type="button" className="cell-title cell-button" onClick={() => setOpenedId(message.id)}>
            {inReadingOrder(message.subject)}
          </button>
          <span className="cell-sub clip">{inReadingOrder(message.msg)}</span>
        </>
      ),
    },
    { key: 'name', title: 'From', brief: true, names: true, render: ({ name }) => inReadingOrder(name) },
    { key: 'email', title: 'E-mail', render: ({ email }) => email },
    { key: 'country', title: 'Country', render: ({ country }) => country },
    {
      key: 'created',
      title: 'Sent',
      brief: true,
      sortBy: 'created_at',
      render: message => <RelativeTime iso={message.created_at} />,
    },
  ];
  return (
    <>
      <DataTable
        label="Contact messages"
        what="The messages"
        columns={columns}
        query={query}
        params={params}
        rowKey={({ id }) => id}
        empty={
          <EmptyState title="No messages yet">
            Messages from the website’s contact form are kept here for a year.
          </EmptyState>
        }
      />
      <Drawer
        opened={opened !== undefined}
        onClose={() => setOpenedId(null)}
        position="right"
        size="lg"
        // Escape and a click outside belong to the dialog in front, which may show a password that exists only there.
        closeOnEscape={demoFor === null}
        closeOnClickOutside={demoFor === null}
        title={opened && inReadingOrder(opened.subject)}
        closeButtonProps={{ 'aria-label': 'Close the message' }}
      >
        {opened && <Message message={opened} onDemo={() => setDemoFor(opened)} onDeleted={() => setOpenedId(null)} />}
      </Drawer>
      {demoFor && <DemoAccountModal message={demoFor} onClose={() => setDemoFor(null)} />}
    </>
  );
}
