import { Menu } from '@mantine/core';
import { countText } from '@trawl/contracts';
import { useState } from 'react';
import type { MongoCollection } from '../../../api/entities.js';
import { confirmDelete } from '../../../components/feedback/confirm-delete.js';
import { RowMenu } from '../../../components/list/row-menu.js';
import { NameModal } from '../../../components/unsaved/name-modal.js';
import { useCopyCollection, useDropCollection, useRenameCollection } from '../api/change-collections.js';

interface CollectionProps {
  databaseId: string;
  collection: MongoCollection;
}

interface CollectionModalProps extends CollectionProps {
  onClose: () => void;
}

function CopyModal({ databaseId, collection: { name, count }, onClose }: CollectionModalProps) {
  return (
    <NameModal
      title={`Copy ${name}`}
      label="Name of the copy"
      description={`Copies ${countText(count, 'document')} and the indexes. The copy appears when it is complete.`}
      initialName={`${name}_copy`}
      option="Replace the collection that has this name, if there is one"
      button="Copy collection"
      failure="The collection was not copied"
      request={useCopyCollection(databaseId, name)}
      toSend={(to, overwrite) => ({ to, overwrite })}
      onClose={onClose}
    />
  );
}

function RenameModal({ databaseId, collection: { name }, onClose }: CollectionModalProps) {
  return (
    <NameModal
      title={`Rename ${name}`}
      label="New name"
      description="Skripts that write to the old name create it again."
      initialName={name}
      button="Rename collection"
      failure="The collection was not renamed"
      request={useRenameCollection(databaseId, name)}
      toSend={to => to}
      onClose={onClose}
    />
  );
}

export function CollectionActions({ databaseId, collection }: CollectionProps) {
  const [modal, setModal] = useState<'copy' | 'rename' | null>(null);
  const drop = useDropCollection(databaseId);
  const confirmDrop = () =>
    confirmDelete({
      title: `Delete ${collection.name}?`,
      children: `This permanently deletes the collection with ${countText(collection.count, 'document')} and its indexes.`,
      confirmLabel: 'Delete collection',
      typed: collection.name,
      onConfirm: () => drop.mutate(collection.name),
    });
  const close = () => setModal(null);
  return (
    <>
      <RowMenu of={collection.name} isBusy={drop.isPending}>
        <Menu.Item onClick={() => setModal('copy')}>Copy…</Menu.Item>
        <Menu.Item onClick={() => setModal('rename')}>Rename…</Menu.Item>
        <Menu.Item color="red" onClick={confirmDrop}>
          Delete…
        </Menu.Item>
      </RowMenu>
      {modal === 'copy' && <CopyModal databaseId={databaseId} collection={collection} onClose={close} />}
      {modal === 'rename' && <RenameModal databaseId={databaseId} collection={collection} onClose={close} />}
    </>
  );
}
