import { Autocomplete, Button, Group, Pill, Popover, Select, TextInput } from '@mantine/core';
import { IconFilterPlus } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { JsonField } from '../code/json-field.js';
import {
  COMPARISONS,
  type Comparison,
  type Condition,
  conditionWords,
  filterProblem,
  needsValue,
} from './conditions.js';

const CHOICES = Object.entries(COMPARISONS).map(([value, label]) => ({ value, label }));

interface ConditionFormProps {
  fields: readonly string[];
  onAdd: (condition: Condition) => void;
}

/** Adds a condition to the filter. */
function ConditionForm({ fields, onAdd }: ConditionFormProps) {
  const [isOpen, setOpen] = useState(false);
  const [field, setField] = useState('');
  const [comparison, setComparison] = useState<Comparison>('contains');
  const [value, setValue] = useState('');
  const canAdd = field.trim() !== '' && (!needsValue(comparison) || value !== '');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // A form around this one must not be sent. React passes events on to parents, also out of a portal.
    event.stopPropagation();
    if (!canAdd) return;
    onAdd({ field: field.trim(), comparison, value: needsValue(comparison) ? value : '' });
    setValue('');
    setOpen(false);
  };
  return (
    <Popover opened={isOpen} onChange={setOpen} width={300} position="bottom-start" trapFocus shadow="md">
      <Popover.Target>
        <Button
          size="sm"
          variant="default"
          leftSection={<IconFilterPlus size={16} aria-hidden />}
          onClick={() => setOpen(open => !open)}
        >
          Add filter
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form onSubmit={submit}>
          <Autocomplete
            label="Field"
            placeholder="price"
            data={[...fields]}
            comboboxProps={{ withinPortal: false }}
            value={field}
            onChange={setField}
            data-autofocus
          />
          <Select
            mt="sm"
            label="Condition"
            data={CHOICES}
            allowDeselect={false}
            comboboxProps={{ withinPortal: false }}
            value={comparison}
            onChange={chosen => setComparison((chosen ?? 'contains') as Comparison)}
          />
          {needsValue(comparison) && (
            <TextInput
              mt="sm"
              label="Value"
              description={
                comparison === 'contains' ? 'Part of the text; capitals do not matter.' : 'A text, number or date.'
              }
              value={value}
              onChange={event => setValue(event.currentTarget.value)}
            />
          )}
          <Group justify="flex-end" mt="md">
            <Button type="submit" size="sm" disabled={!canAdd}>
              Filter
            </Button>
          </Group>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}

/** A filter in MongoDB's own language, for conditions that the form does not have. */
function WrittenFilter({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const [text, setText] = useState(value);
  const problem = filterProblem(text);
  const apply = () => onChange(text.trim());
  return (
    <div className="written-filter">
      <JsonField
        label="MongoDB filter"
        placeholder='{ "price": { "$lt": 20 } }'
        minRows={1}
        maxRows={8}
        value={text}
        onChange={setText}
        onBlur={apply}
        error={problem}
      />
      <Button size="sm" variant="default" disabled={problem !== null || text.trim() === value} onClick={apply}>
        Apply
      </Button>
    </div>
  );
}

interface FilterBarProps {
  conditions: readonly Condition[];
  onConditions: (conditions: Condition[]) => void;
  /** Filter in MongoDB's own language. It holds in addition to the conditions. */
  written: string;
  onWritten: (text: string) => void;
  /** Fields to suggest. */
  fields: readonly string[];
}

/** Chooses documents by conditions, or by a MongoDB filter. */
export function FilterBar({ conditions, onConditions, written, onWritten, fields }: FilterBarProps) {
  const [isWriting, setWriting] = useState(written !== '');
  return (
    <>
      <ConditionForm fields={fields} onAdd={condition => onConditions([...conditions, condition])} />
      {conditions.map((condition, position) => (
        <Pill
          // biome-ignore lint/suspicious/noArrayIndexKey: two conditions may be equal.
          key={position}
          size="md"
          withRemoveButton
          removeButtonProps={{
            'aria-label': `Remove the filter ${conditionWords(condition)}`,
            'aria-hidden': false,
            tabIndex: 0,
          }}
          onRemove={() => onConditions(conditions.filter((_, other) => other !== position))}
        >
          {conditionWords(condition)}
        </Pill>
      ))}
      {!isWriting && (
        <Button size="sm" variant="subtle" onClick={() => setWriting(true)}>
          MongoDB filter
        </Button>
      )}
      {isWriting && <WrittenFilter key={written} value={written} onChange={onWritten} />}
    </>
  );
}
