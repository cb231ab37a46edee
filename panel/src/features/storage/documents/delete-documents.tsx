import { Button, Menu } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import type { Listed, MongoDocument } from '../../../api/entities.js';
import { confirmDelete, typedCount } from '../../../components/feedback/confirm-delete.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { useDeleteDocuments } from '../api/change-documents.js';

interface DeleteDocumentsProps {
  databaseId: string;
  collection: string;
  selected: readonly MongoDocument[];
  /** MongoDB filter of the list; undefined if it shows all documents. */
  filter: string | undefined;
  /** The list, which knows how many documents match. */
  matching: Listed<MongoDocument> | undefined;
  onDone: () => void;
}

const documentsText = (count: number): string => (count === 1 ? 'one document' : `${count.toLocaleString()} documents`);

/** Deletes the selected documents, or all that match the filter. */
export function DeleteDocuments(props: DeleteDocumentsProps) {
  const { databaseId, collection, selected, filter, matching, onDone } = props;
  const remove = useDeleteDocuments(databaseId, collection);
  const total = matching?.total ?? 0;
  const matchingText = `${matching?.total_capped ? 'more than ' : ''}${documentsText(total)}`;

  const deleteSelected = () =>
    confirmDelete({
      title: `Delete ${documentsText(selected.length)}?`,
      children: 'You cannot undo this.',
      confirmLabel: 'Delete',
      typed: typedCount(selected.length),
      onConfirm: () => remove.mutate({ _id: { $in: selected.map(({ _id }) => _id) } }, { onSuccess: onDone }),
    });
  const deleteMatching = () =>
    confirmDelete({
      title: `Delete ${matchingText}?`,
      children: `This permanently deletes all documents of ${inReadingOrder(collection)} that match the filter, also those on other pages. If it takes longer than 10 s, Trawl stops; then delete the rest in the same way.`,
      confirmLabel: 'Delete all that match',
      typed: collection,
      onConfirm: () => remove.mutate(JSON.parse(filter ?? '') as Record<string, unknown>, { onSuccess: onDone }),
    });
  const canDeleteMatching = filter !== undefined && total > 0;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          size="sm"
          variant="default"
          disabled={selected.length === 0 && !canDeleteMatching}
          loading={remove.isPending}
          leftSection={<IconTrash size={16} aria-hidden />}
        >
          {selected.length > 0 ? `Delete ${selected.length}` : 'Delete'}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item color="red" disabled={selected.length === 0} onClick={deleteSelected}>
          Delete the selected documents…
        </Menu.Item>
        <Menu.Item color="red" disabled={!canDeleteMatching} onClick={deleteMatching}>
          Delete all that match the filter…
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
