import { Button, Group, SegmentedControl, Switch, Text, Textarea } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useState } from 'react';
import { useExecutions } from '../../../api/requests/list-executions.js';
import { GroupFields } from '../../../components/group/group-fields.js';
import { ownTimeZone } from '../../../components/group/group-settings.js';
import { FilterBar } from '../../../components/mongo-filter/filter-bar.js';
import { CollectionSelect } from '../../../components/selects/collection-select.js';
import { RunSelect } from '../../../components/selects/run-select.js';
import { SearchSelect } from '../../../components/selects/search-select.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { isOfRun } from '../terms.js';
import { type ExportValues, hasFilter, hasGroups, ofEachRun, type Source } from './export-values.js';
import { useTables } from './tables.js';

export type ExportForm = UseFormReturnType<ExportValues>;

const SOURCES: { value: Source; label: string }[] = [
  { value: 'collection', label: 'Collection' },
  { value: 'run', label: 'Run' },
  { value: 'changes', label: 'Changes' },
  { value: 'table', label: 'Table' },
  { value: 'query', label: 'SQL' },
];

function RunField({ form }: { form: ExportForm }) {
  const runs = useExecutions({ limit: 200, sort: '-created_at' });
  return (
    <RunSelect
      label="Run"
      runs={runs.data?.items ?? []}
      of="all"
      value={form.values.execution_id}
      onChange={id => form.setFieldValue('execution_id', id)}
      source={runs}
      error={form.errors.execution_id}
    />
  );
}

function TableField({ form }: { form: ExportForm }) {
  const { schema, table } = form.values;
  const tables = useTables();
  const keyOf = (one: { schema: string; name: string }) => JSON.stringify([one.schema, one.name]);
  return (
    <SearchSelect
      label="Table or view"
      placeholder="Choose a table"
      nothingFoundMessage="No such table"
      choices={(tables.data?.items ?? []).map(one => ({
        value: keyOf(one),
        label: inReadingOrder(one.schema === 'public' ? one.name : `${one.schema}.${one.name}`),
      }))}
      value={table === '' ? null : keyOf({ schema, name: table })}
      onChange={key => {
        const [chosenSchema, name] = JSON.parse(key ?? '["public",""]') as [string, string];
        form.setValues({ schema: chosenSchema, table: name });
      }}
      source={tables}
      error={form.errors.table}
    />
  );
}

/** Exports groups, such as the number and the average price of each day, instead of documents or rows. */
function GroupField({ form, fields }: { form: ExportForm; fields: readonly string[] }) {
  const { group } = form.values;
  // The rows of the preview are groups, so remember the fields that they had before.
  const [known, setKnown] = useState(fields);
  if (group === null && fields.join() !== known.join()) setKnown(fields);
  return (
    <>
      <Switch
        mt="md"
        label="Group by a field, or over time"
        checked={group !== null}
        onChange={({ currentTarget: { checked } }) =>
          form.setValues({
            group: checked ? { by: '', every: '', of: '', time_zone: ownTimeZone() } : null,
            // Groups have columns of their own.
            fields: [],
          })
        }
      />
      {group && (
        <GroupFields
          settings={group}
          fields={known}
          byError={form.errors.group as string | undefined}
          onChange={changed => form.setFieldValue('group', { ...group, ...changed })}
        />
      )}
    </>
  );
}

interface SourceFieldsProps {
  form: ExportForm;
  /** Fields to suggest. */
  fields: readonly string[];
  /** Shows the first rows of the SQL statement. */
  onPreviewSql: () => void;
}

/** Says which data to export. */
export function SourceFields({ form, fields, onPreviewSql }: SourceFieldsProps) {
  const { source, db_id, collection, conditions, written, repeat } = form.values;
  const choose = (chosen: Source) =>
    form.setValues({
      source: chosen,
      // The columns of one source are not those of another.
      fields: [],
      // Only a run starts an exporter of its rows or changes.
      repeat: isOfRun(chosen) && repeat !== 'once' ? 'run' : repeat,
    });
  return (
    <>
      <SegmentedControl
        className="source-kinds"
        fullWidth
        mb="md"
        aria-label="Kind of data"
        data={SOURCES}
        value={source}
        onChange={chosen => choose(chosen as Source)}
      />
      {source === 'collection' && (
        <CollectionSelect
          databaseId={db_id}
          onDatabase={id => form.setValues({ db_id: id, collection: '' })}
          collection={collection}
          onCollection={name => form.setFieldValue('collection', name)}
          databaseError={form.errors.db_id}
          collectionError={form.errors.collection}
        />
      )}
      {isOfRun(source) &&
        (ofEachRun(form.values) ? (
          <Text size="sm" c="dimmed">
            {source === 'run'
              ? 'The rows of each run, when the run ends. Choose the skript below.'
              : 'The items that each run has added, changed or found again. Choose the skript below.'}
          </Text>
        ) : (
          <RunField form={form} />
        ))}
      {source === 'table' && <TableField form={form} />}
      {source === 'query' && (
        <>
          <Textarea
            label="SQL statement"
            description="A SELECT. It cannot change data."
            autosize
            minRows={4}
            maxRows={14}
            spellCheck={false}
            classNames={{ input: 'mono' }}
            {...form.getInputProps('sql')}
          />
          <Button mt="xs" size="xs" variant="default" disabled={form.values.sql.trim() === ''} onClick={onPreviewSql}>
            Show its first rows
          </Button>
        </>
      )}
      {hasFilter(source) && (
        <Group gap="xs" mt="md" role="group" aria-label="Filter">
          <FilterBar
            conditions={conditions}
            onConditions={chosen => form.setFieldValue('conditions', chosen)}
            written={written}
            onWritten={text => form.setFieldValue('written', text)}
            fields={fields}
          />
        </Group>
      )}
      {hasGroups(source) && <GroupField form={form} fields={fields} />}
    </>
  );
}
