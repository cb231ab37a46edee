import { Button, Group } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import type { Input, InputSecret, Listed } from '../../../../api/entities.js';
import { confirmDelete } from '../../../../components/feedback/confirm-delete.js';
import { notifyError } from '../../../../components/feedback/notify.js';
import { EmptyState } from '../../../../components/feedback/states.js';
import { DataTable } from '../../../../components/list/data-table.js';
import { RelativeTime } from '../../../../components/values/relative-time.js';
import type { NamedValue, NamedValueKind } from '../named-values.js';
import { NamedValueModal } from './named-value-modal.js';

type Item = Input | InputSecret;

interface NamedValuesProps {
  kind: NamedValueKind;
  query: UseQueryResult<Listed<Item>>;
  /** Loads the saved value as JSON text. For a secret it resolves with ''. */
  loadText: (id: string) => Promise<string>;
  onSave: (value: NamedValue) => Promise<void>;
  onDelete: (id: string) => void;
}

/** The item in the editor, with its value as JSON text. */
interface Editing {
  id: string | null;
  name: string;
  text: string;
}

/** Table of a skript's inputs or input secrets. */
export function NamedValues({ kind, query, loadText, onSave, onDelete }: NamedValuesProps) {
  const [editing, setEditing] = useState<Editing | null>(null);
  const change = async ({ id, name }: Item) => {
    try {
      setEditing({ id, name, text: await loadText(id) });
    } catch (error) {
      notifyError(`${name} could not be loaded`, error);
    }
  };
  const addButton = (
    <Button
      size="sm"
      leftSection={<IconPlus size={15} aria-hidden />}
      onClick={() => setEditing({ id: null, name: kind.defaultName, text: '' })}
    >
      {`New ${kind.noun}`}
    </Button>
  );
  const confirmDeletion = (item: Item) =>
    confirmDelete({
      title: `Delete ${item.name}?`,
      children: `This permanently deletes the ${kind.noun}. Past runs keep its name.`,
      confirmLabel: `Delete ${kind.noun}`,
      onConfirm: () => onDelete(item.id),
    });

  return (
    <>
      {query.data?.items.length !== 0 && (
        <Group justify="space-between" mb="sm">
          <p className="tab-note">
            {kind.explanation} By default, a run uses <code>{kind.defaultName}</code>, or the only one.
          </p>
          {addButton}
        </Group>
      )}
      <DataTable
        label={kind.title}
        what={`The ${kind.noun}s`}
        query={query}
        rowKey={item => item.id}
        columns={[
          { key: 'name', title: 'Name', lead: true, render: item => <span className="cell-title">{item.name}</span> },
          { key: 'created', title: 'Created', render: item => <RelativeTime iso={item.created_at} /> },
          {
            key: 'updated',
            title: 'Updated',
            brief: true,
            render: item => <RelativeTime iso={item.updated_at} />,
          },
          {
            key: 'actions',
            title: 'Actions',
            actions: true,
            render: item => (
              <Group gap="xs" wrap="nowrap" display="inline-flex">
                <Button size="xs" variant="default" onClick={() => void change(item)}>
                  Change
                </Button>
                <Button size="xs" variant="subtle" color="red" onClick={() => confirmDeletion(item)}>
                  Delete
                </Button>
              </Group>
            ),
          },
        ]}
        empty={
          <EmptyState title={`No ${kind.noun}s yet`} action={addButton}>
            {kind.explanation}
          </EmptyState>
        }
      />
      {editing && (
        <NamedValueModal
          kind={kind}
          id={editing.id}
          initialName={editing.name}
          initialText={editing.text}
          onClose={() => setEditing(null)}
          onSave={onSave}
        />
      )}
    </>
  );
}
