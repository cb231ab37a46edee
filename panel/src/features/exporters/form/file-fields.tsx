import { Checkbox, Select, TagsInput } from '@mantine/core';
import { FORMATS } from '../terms.js';
import type { ExportForm } from './source-fields.js';

const CHOICES = Object.entries(FORMATS).map(([value, label]) => ({ value, label }));

/** Says how the file is written. */
export function FileFields({ form, fields }: { form: ExportForm; fields: readonly string[] }) {
  const { format } = form.values;
  const isTable = format === 'csv' || format === 'xlsx' || format === 'parquet';
  return (
    <>
      <Select label="Format" data={CHOICES} allowDeselect={false} {...form.getInputProps('format')} />
      <TagsInput
        mt="md"
        label="Columns"
        description="In this order. Leave blank for all columns."
        placeholder={form.values.fields.length === 0 ? 'All columns' : undefined}
        data={fields.filter(field => !form.values.fields.includes(field))}
        splitChars={[',']}
        clearable
        {...form.getInputProps('fields')}
      />
      {isTable && (
        <>
          <Checkbox
            mt="md"
            label="Nested fields become columns"
            description="Such as seller.country. Otherwise an object is JSON in one cell."
            {...form.getInputProps('flatten', { type: 'checkbox' })}
          />
          <Checkbox
            mt="xs"
            label="Join lists by commas"
            description="Otherwise a list is JSON in one cell."
            checked={form.values.lists === 'join'}
            onChange={event => form.setFieldValue('lists', event.currentTarget.checked ? 'join' : 'json')}
          />
        </>
      )}
      {format === 'csv' && (
        <>
          <Checkbox
            mt="xs"
            label="Mark the file for Excel"
            description="Excel then reads letters such as é and ж correctly."
            {...form.getInputProps('bom', { type: 'checkbox' })}
          />
          <Checkbox
            mt="xs"
            label="Protect spreadsheets from formulas"
            description="Puts an apostrophe before texts that a spreadsheet would execute."
            {...form.getInputProps('escape_formulas', { type: 'checkbox' })}
          />
        </>
      )}
    </>
  );
}
