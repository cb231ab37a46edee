import { Button, Group } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import type { Input, InputSecret, Listed } from '../../../api/entities.js';
import { confirmDelete } from '../../../components/confirm-delete.js';
import { DataTable } from '../../../components/data-table.js';
import { EmptyState } from '../../../components/states.js';
import { TimeText, ZONE } from '../../../components/time-text.js';
import type { NamedValue, NamedValueKind } from '../named-values.js';
import { NamedValueModal } from './named-value-modal.js';

type Item = Input | InputSecret;

interface NamedValuesProps {
  kind: NamedValueKind;
  query: UseQueryResult<Listed<Item>>;
  onSave: (value: NamedValue) => Promise<void>;
  onDelete: (id: string) => void;
}

const PREVIEW_CHARS = 90;

/** The value as one line, or words for a secret. */
function preview(item: Item): string {
  if (!('val' in item)) return 'stored, encrypted';
  const text = JSON.stringify(item.val);
  return text.length > PREVIEW_CHARS ? `${text.slice(0, PREVIEW_CHARS)}…` : text;
}

/** The inputs of a skript, or its input secrets. */
export function NamedValues({ kind, query, onSave, onDelete }: NamedValuesProps) {
  const [editing, setEditing] = useState<Item | 'new' | null>(null);
  const addButton = (
    <Button size="sm" leftSection={<IconPlus size={15} aria-hidden />} onClick={() => setEditing('new')}>
      {`New ${kind.noun}`}
    </Button>
  );
  const askToDelete = (item: Item) =>
    confirmDelete({
      title: `Delete ${item.name}?`,
      children: `The ${kind.noun} goes for good. Past executions keep its name.`,
      confirmLabel: `Delete the ${kind.noun}`,
      onConfirm: () => onDelete(item.id),
    });

  return (
    <>
      <Group justify="space-between" mb="sm">
        <p className="tab-note">
          {kind.explanation} The editor’s Run takes the one named <code>{kind.defaultName}</code>.
        </p>
        {query.data?.items.length !== 0 && addButton}
      </Group>
      <DataTable
        label={kind.title}
        what={`The ${kind.noun}s`}
        query={query}
        rowKey={item => item.id}
        columns={[
          { key: 'name', title: 'Name', lead: true, render: item => <span className="cell-title">{item.name}</span> },
          { key: 'value', title: 'Value', render: item => <span className="mono clip">{preview(item)}</span> },
          { key: 'updated', title: `Updated (${ZONE})`, render: item => <TimeText iso={item.updated_at} /> },
          {
            key: 'actions',
            title: 'Actions',
            actions: true,
            render: item => (
              <Group gap="xs" wrap="nowrap" display="inline-flex">
                <Button size="xs" variant="default" onClick={() => setEditing(item)}>
                  Change
                </Button>
                <Button size="xs" variant="subtle" color="red" onClick={() => askToDelete(item)}>
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
          id={editing === 'new' ? null : editing.id}
          initialName={editing === 'new' ? kind.defaultName : editing.name}
          initialText={editing !== 'new' && 'val' in editing ? JSON.stringify(editing.val, null, 2) : ''}
          onClose={() => setEditing(null)}
          onSave={onSave}
        />
      )}
    </>
  );
}
