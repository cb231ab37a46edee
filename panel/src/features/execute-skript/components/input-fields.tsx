import { SegmentedControl, SimpleGrid, Textarea } from '@mantine/core';
import { SavedValueSelect } from '../../../components/selects/saved-value-select.js';
import type { InputSource, RunInputState } from '../use-run-input.js';
import { SchemaFields } from './schema-fields.js';

const JSON_FIELD = {
  autosize: true,
  minRows: 3,
  maxRows: 14,
  spellCheck: false,
  classNames: { input: 'mono' },
} as const;

/** The input of a run: saved values, the skript's own form, or JSON. */
export function InputFields({ input }: { input: RunInputState }) {
  const { source, stored, json, secret, form } = input;
  const secretField = (
    <Textarea
      {...JSON_FIELD}
      label="Input secret (JSON)"
      description="Sent only to the run, and deleted when the run ends."
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      autoComplete="off"
      value={secret.secretText}
      onChange={event => secret.setSecretText(event.currentTarget.value)}
      error={secret.secretError}
    />
  );
  return (
    <>
      <SegmentedControl
        my="md"
        aria-label="Where the input comes from"
        data={[
          { value: 'stored', label: 'Saved inputs' },
          ...(form ? [{ value: 'form', label: 'Form' }] : []),
          { value: 'json', label: 'JSON' },
        ]}
        value={source}
        onChange={value => input.setSource(value as InputSource)}
      />
      {source === 'stored' ? (
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
          <SavedValueSelect label="Input" saved={stored.inputs} value={stored.inputId} onChange={stored.setInputId} />
          <SavedValueSelect
            label="Input secret"
            saved={stored.secrets}
            value={stored.secretId}
            onChange={stored.setSecretId}
          />
        </SimpleGrid>
      ) : source === 'form' && form ? (
        <>
          <SchemaFields
            fields={form.fields}
            entries={form.entries}
            problems={form.problems}
            onChange={form.setEntries}
          />
          <details className="start-limits">
            <summary>Input secret</summary>
            {secretField}
          </details>
        </>
      ) : (
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
          <Textarea
            {...JSON_FIELD}
            label="Input (JSON)"
            placeholder='{ "pages": 3 }'
            value={json.inputText}
            onChange={event => json.setInputText(event.currentTarget.value)}
            error={json.inputError}
          />
          {secretField}
        </SimpleGrid>
      )}
    </>
  );
}
