import { Button, CopyButton, Drawer, Group, Skeleton } from '@mantine/core';
import { IconCheck, IconCopy, IconPencil, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { confirmDelete } from '../../../components/feedback/confirm-delete.js';
import { EmptyState, ErrorState } from '../../../components/feedback/states.js';
import { JsonTree } from '../../../components/json-tree/json-tree.js';
import { useDeleteDocuments } from '../api/change-documents.js';
import { useIsReadOnly } from '../api/get-database.js';
import { useDocument } from '../api/list-documents.js';
import { cellText } from '../document-columns.js';
import { EditDocumentModal } from './document-modal.js';

interface DocumentDrawerProps {
  databaseId: string;
  collection: string;
  /** `_id` of the document as Extended JSON; null while none is open. */
  id: unknown;
  onClose: () => void;
}

/** One document as a tree, with the actions on it. */
export function DocumentDrawer({ databaseId, collection, id, onClose }: DocumentDrawerProps) {
  const [isEditing, setEditing] = useState(false);
  const query = useDocument(databaseId, collection, id);
  const remove = useDeleteDocuments(databaseId, collection);
  const isReadOnly = useIsReadOnly(databaseId);
  const document = query.data;
  const confirmDeletion = () =>
    confirmDelete({
      title: 'Delete the document?',
      children: `This permanently deletes the document ${cellText(id)}.`,
      confirmLabel: 'Delete document',
      onConfirm: () => remove.mutate({ _id: id }, { onSuccess: onClose }),
    });
  if (isEditing && document)
    return (
      <EditDocumentModal
        document={document}
        databaseId={databaseId}
        collection={collection}
        onClose={() => setEditing(false)}
      />
    );
  return (
    <Drawer
      opened={id !== null}
      onClose={onClose}
      position="right"
      size="lg"
      title="Document"
      closeButtonProps={{ 'aria-label': 'Close the document' }}
    >
      {query.isError ? (
        <ErrorState what="The document could not be loaded" error={query.error} onRetry={() => query.refetch()} />
      ) : document === undefined ? (
        <Skeleton height={220} />
      ) : document === null ? (
        <EmptyState title="This document is gone">It was deleted in the meantime.</EmptyState>
      ) : (
        <>
          <Group gap="xs" mb="md">
            {!isReadOnly && (
              <Button
                size="xs"
                leftSection={<IconPencil size={14} aria-hidden />}
                variant="default"
                onClick={() => setEditing(true)}
              >
                Edit
              </Button>
            )}
            <CopyButton value={JSON.stringify(document, null, 2)}>
              {({ copied, copy }) => (
                <Button
                  size="xs"
                  variant="default"
                  leftSection={copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
                  onClick={copy}
                >
                  {copied ? 'Copied' : 'Copy as JSON'}
                </Button>
              )}
            </CopyButton>
            {!isReadOnly && (
              <Button
                size="xs"
                color="red"
                variant="subtle"
                leftSection={<IconTrash size={14} aria-hidden />}
                loading={remove.isPending}
                onClick={confirmDeletion}
              >
                Delete
              </Button>
            )}
          </Group>
          <JsonTree value={document} openDepth={3} />
        </>
      )}
    </Drawer>
  );
}
