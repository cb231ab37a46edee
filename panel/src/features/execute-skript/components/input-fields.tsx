import { SegmentedControl, SimpleGrid } from '@mantine/core';
import { JsonField } from '../../../components/code/json-field.js';
import { SavedValueSelect } from '../../../components/selects/saved-value-select.js';
import type { InputSource, RunInputState } from '../use-run-input.js';
import { SchemaFields } from './schema-fields.js';

const HEIGHT = { minRows: 3, maxRows: 14 };

/** The input of a run: saved values, the skript's own form, or JSON. */
export function InputFields({ input }: { input: RunInputState }) {
  const { source, stored, json, secret, form } = input;
  const secretField = (
    <JsonField
      {...HEIGHT}
      label="Input secret (JSON)"
      description="Sent only to the run, and deleted when the run ends."
      value={secret.secretText}
      onChange={secret.setSecretText}
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
          <details className="form-more">
            <summary>Input secret</summary>
            {secretField}
          </details>
        </>
      ) : (
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
          <JsonField
            {...HEIGHT}
            label="Input (JSON)"
            description="The first argument of main.js."
            placeholder='{ "pages": 3 }'
            value={json.inputText}
            onChange={json.setInputText}
            error={json.inputError}
          />
          {secretField}
        </SimpleGrid>
      )}
    </>
  );
}
