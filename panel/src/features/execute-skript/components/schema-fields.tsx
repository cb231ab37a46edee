import { Checkbox, MultiSelect, NumberInput, SimpleGrid, TagsInput, Text, Textarea, TextInput } from '@mantine/core';
import { JsonField } from '../../../components/code/json-field.js';
import { keepForm, SearchSelect } from '../../../components/selects/search-select.js';
import type { Entries, Entry, FormProblems, SchemaField } from '../schema-form.js';

interface FieldProps {
  field: SchemaField;
  entry: Entry;
  error: string | undefined;
  onChange: (entry: Entry) => void;
}

function Field({ field, entry, error, onChange }: FieldProps) {
  const common = {
    label: field.label,
    description: field.description || undefined,
    withAsterisk: field.isRequired && field.kind !== 'yes or no',
    placeholder: field.placeholder || undefined,
    error,
  };
  const text = typeof entry === 'string' ? entry : '';
  const list = Array.isArray(entry) ? entry : [];
  switch (field.kind) {
    case 'yes or no':
      return (
        <Checkbox
          mt={28}
          label={field.label}
          description={field.description || undefined}
          error={error}
          checked={entry === true}
          onChange={event => onChange(event.currentTarget.checked)}
        />
      );
    case 'number':
      return (
        <NumberInput
          {...common}
          min={field.min}
          max={field.max}
          clampBehavior="none"
          // Trimming would also round a large number.
          trimLeadingZeroesOnBlur={false}
          allowDecimal={!field.isInteger}
          value={text}
          onChange={value => onChange(String(value))}
        />
      );
    case 'choice':
      return (
        <SearchSelect
          {...common}
          clearable={!field.isRequired}
          choices={[...new Set(field.choices)].map(choice => ({ value: choice, label: choice }))}
          value={text || null}
          onChange={value => onChange(value ?? undefined)}
        />
      );
    case 'choices':
      return (
        <MultiSelect
          {...common}
          searchable
          selectFirstOptionOnChange
          onKeyDown={keepForm}
          data={[...new Set(field.choices)]}
          value={list}
          onChange={onChange}
        />
      );
    case 'list':
      return (
        <TagsInput
          {...common}
          description={field.description || 'Press Enter after each'}
          clearable
          value={list}
          onChange={onChange}
        />
      );
    case 'json':
      return (
        <JsonField
          label={field.label}
          description={`${field.description} (JSON)`.trim()}
          placeholder={field.placeholder}
          isRequired={field.isRequired}
          error={error}
          minRows={2}
          maxRows={12}
          value={text}
          onChange={onChange}
        />
      );
    case 'long text':
      return (
        <Textarea
          {...common}
          autosize
          minRows={2}
          maxRows={12}
          value={text}
          onChange={event => onChange(event.currentTarget.value)}
        />
      );
    default:
      return (
        <TextInput
          {...common}
          type={field.inputType}
          autoComplete="off"
          value={text}
          onChange={event => onChange(event.currentTarget.value)}
        />
      );
  }
}

interface SchemaFieldsProps {
  fields: SchemaField[];
  entries: Entries;
  problems: FormProblems | null;
  onChange: (entries: Entries) => void;
}

/** The fields of a skript's `input_schema`. */
export function SchemaFields({ fields, entries, problems, onChange }: SchemaFieldsProps) {
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        {fields.map(field => (
          <Field
            key={field.name}
            field={field}
            entry={entries[field.name]}
            error={problems?.fields[field.name]}
            onChange={entry => onChange({ ...entries, [field.name]: entry })}
          />
        ))}
      </SimpleGrid>
      {problems?.whole && (
        <Text role="alert" size="sm" c="var(--mantine-color-error)" mt="xs">
          {problems.whole}
        </Text>
      )}
    </>
  );
}
