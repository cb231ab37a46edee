import { Button, Checkbox, Group, Popover, ScrollArea, TextInput } from '@mantine/core';
import { IconColumns3 } from '@tabler/icons-react';
import { useState } from 'react';
import { type FieldShares, shareText } from '../field-shares.js';

interface ColumnsMenuProps {
  fields: readonly string[];
  shown: readonly string[];
  shares: FieldShares | undefined;
  /** Called with the fields to show; null to show those that most documents have. */
  onChange: (fields: string[] | null) => void;
}

/** Chooses the columns of the documents, and shows how many documents have a value in each field. */
export function ColumnsMenu({ fields, shown, shares, onChange }: ColumnsMenuProps) {
  const [search, setSearch] = useState('');
  const found = fields.filter(field => field.toLowerCase().includes(search.toLowerCase()));
  const toggle = (field: string) =>
    onChange(shown.includes(field) ? shown.filter(other => other !== field) : [...shown, field]);
  return (
    <Popover width={320} position="bottom-end" trapFocus shadow="md">
      <Popover.Target>
        <Button size="sm" variant="default" leftSection={<IconColumns3 size={16} aria-hidden />}>
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        {fields.length > 12 && (
          <TextInput
            mb="xs"
            type="search"
            aria-label="Search fields"
            placeholder="Search fields"
            value={search}
            onChange={event => setSearch(event.currentTarget.value)}
          />
        )}
        <ScrollArea.Autosize mah={320} type="auto" offsetScrollbars>
          <ul className="column-choices" aria-label="Columns">
            {found.map(field => {
              const filled = shares?.filled.get(field);
              return (
                <li key={field}>
                  <Checkbox size="xs" label={field} checked={shown.includes(field)} onChange={() => toggle(field)} />
                  {shares && filled !== undefined && (
                    <span className="tabular">{shareText(filled, shares.documents)}</span>
                  )}
                </li>
              );
            })}
          </ul>
        </ScrollArea.Autosize>
        <Group justify="space-between" mt="xs" gap="xs">
          <span className="cell-sub">Share of documents with a value</span>
          <Button size="compact-xs" variant="subtle" onClick={() => onChange(null)}>
            Reset
          </Button>
        </Group>
      </Popover.Dropdown>
    </Popover>
  );
}

/** Part of a column heading: the share of documents that have a value in the field. */
export function FilledShare({ field, shares }: { field: string; shares: FieldShares | undefined }) {
  const filled = shares?.filled.get(field);
  if (!shares || filled === undefined || shares.documents === 0) return null;
  const text = shareText(filled, shares.documents);
  const words = `${filled.toLocaleString()} of the ${shares.documents.toLocaleString()} newest documents have a value`;
  return (
    <span className="filled-share tabular" title={words}>
      <meter min={0} max={shares.documents} value={filled} aria-label={`${field}: ${words}`} />
      {text}
    </span>
  );
}
