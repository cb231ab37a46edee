import { Alert, Box, Checkbox, Group, MultiSelect, Radio, Skeleton, Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { countText } from '@trawl/contracts';
import { type FormEvent, useState } from 'react';
import type { Import } from '../../../api/entities.js';
import { MessageText } from '../../../components/feedback/message-text.js';
import { ErrorState } from '../../../components/feedback/states.js';
import { FocusableButton } from '../../../components/focusable-button.js';
import { JsonTree } from '../../../components/json-tree/json-tree.js';
import { keepForm } from '../../../components/selects/search-select.js';
import { useStoredForm } from '../../../components/unsaved/use-stored-form.js';
import { FirstRows } from './first-rows.js';
import {
  COLUMNS_AT_ONCE,
  type ColumnEdits,
  type ImportPlan,
  type ImportTarget,
  importBody,
  plannedColumns,
  planProblems,
  withEdit,
} from './import-plan.js';
import { ImportTargetFields } from './import-target.js';
import { formNameOf, type Reading, useImportPreview, useStartImport } from './imports.js';
import { MappingTable } from './mapping-table.js';
import { badRowRanges, previewText } from './preview-values.js';
import { ReadingFields } from './reading-fields.js';

const TYPING_PAUSE_MS = 400;

/** The preview names at most so many bad rows. */
const MAX_BAD_ROWS = 20;

/** Shows what Trawl makes of a file, and lets the user change it before the import starts. */
export function ImportForm({ item }: { item: Import }) {
  const [reading, setReading] = useState<Reading>({});
  const [target, setTarget] = useState<ImportTarget>({
    kind: item.table ? 'table' : 'collection',
    databaseId: item.db_id ?? '',
    collection: item.collection ?? '',
    schema: item.schema ?? 'public',
    table: item.table ?? '',
  });
  const [settled] = useDebouncedValue(target, TYPING_PAUSE_MS);
  const isTable = target.kind === 'table';
  const hasTable = isTable && settled.table.trim() !== '' && settled.schema.trim() !== '';
  const shownTable = hasTable ? { table: settled.table.trim(), schema: settled.schema.trim() } : {};
  const preview = useImportPreview(item.id, reading, shownTable);
  const guessed = useImportPreview(item.id, {}).data;
  const start = useStartImport(item.id);
  const [edits, setEdits] = useState<ColumnEdits>({});
  const [isChanged, setChanged] = useState(false);
  const [key, setKey] = useState<string[]>([]);
  const [isUpdating, setUpdating] = useState(false);
  const [skipBadRows, setSkipBadRows] = useState(false);
  const [wasTried, setTried] = useState(false);
  const entered = { reading, target, edits, key, isUpdating, skipBadRows };
  useStoredForm({
    name: formNameOf(item),
    input: isChanged ? entered : null,
    restore: before => {
      setReading(before.reading);
      setTarget(before.target);
      setEdits(before.edits);
      setKey(before.key);
      setUpdating(before.isUpdating);
      setSkipBadRows(before.skipBadRows);
      setChanged(true);
    },
  });
  const change =
    <T,>(set: (value: T) => void) =>
    (value: T) => {
      setChanged(true);
      set(value);
    };

  // Without a schema of that name, for example. The user must be able to correct it.
  const isTableWrong = hasTable && preview.isError;
  const suggested = preview.data ?? (isTableWrong ? guessed : undefined);
  if (!suggested && !preview.isError)
    return (
      <div role="status" aria-label="Trawl reads the file">
        <Skeleton height={320} radius={10} />
      </div>
    );
  const shownAs = suggested ?? guessed;
  const effective: Reading = {
    ...reading,
    format: reading.format ?? shownAs?.format,
    encoding: reading.encoding ?? shownAs?.encoding,
    delimiter: reading.delimiter ?? suggested?.delimiter,
    skip_lines: reading.skip_lines ?? suggested?.skip_lines,
    sheet: reading.sheet ?? suggested?.sheet,
  };
  const readingFields = (
    <>
      <h2 id="import-reading">How Trawl reads the file</h2>
      <ReadingFields reading={reading} effective={effective} sheets={shownAs?.sheets} onChange={change(setReading)} />
    </>
  );
  // Another reading may succeed. The rest of the form keeps its state meanwhile.
  if (!suggested)
    return (
      <div className="import-form">
        <section className="card" aria-labelledby="import-reading">
          {readingFields}
          <Box mt="md">
            <ErrorState what="The file could not be read" error={preview.error} onRetry={() => preview.refetch()} />
          </Box>
        </section>
      </div>
    );
  const columns = plannedColumns(suggested, edits);
  const plan: ImportPlan = {
    reading: effective,
    target,
    columns,
    key: isUpdating ? key : [],
    skipBadRows,
  };
  const problems = planProblems(plan);
  if (isUpdating && key.length === 0) problems.key = 'Choose at least one field.';
  const shown = wasTried ? problems : {};
  const fields =
    columns.length > 0
      ? columns.flatMap(({ isImported, field }) => (isImported && field ? [field] : []))
      : [...new Set(suggested.documents.flatMap(document => Object.keys(document)))];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (Object.keys(problems).length === 0) start.mutate(importBody(plan));
  };

  return (
    <form className="import-form" onSubmit={submit} noValidate>
      <section className="card" aria-labelledby="import-reading">
        {readingFields}
        {suggested.bad_rows.length > 0 && (
          <Alert
            color="yellow"
            variant="light"
            mt="md"
            title={`The first rows have ${suggested.bad_rows.length < MAX_BAD_ROWS ? '' : 'at least '}${countText(suggested.bad_rows.length, 'bad row')}`}
          >
            <ul className="bad-rows">
              {badRowRanges(suggested).map(({ rows, reason }) => (
                <li key={rows}>
                  {rows}: <MessageText of={reason} />
                </li>
              ))}
            </ul>
          </Alert>
        )}
      </section>
      {columns.length > 0 ? (
        <section className="card" aria-labelledby="import-columns">
          <h2 id="import-columns">Columns</h2>
          <MappingTable
            columns={columns}
            into={
              suggested.table_columns === undefined
                ? 'collection'
                : suggested.table_columns === null
                  ? 'new table'
                  : 'existing table'
            }
            onEdit={(column, edit) => change(setEdits)(withEdit(edits, suggested, column, edit))}
            exampleOf={({ index }) => previewText(suggested, suggested.documents[0], index)}
          />
          {shown.columns && <Alert role="alert" color="red" variant="light" m="md" title={shown.columns} />}
        </section>
      ) : (
        <section className="card" aria-labelledby="import-documents">
          <h2 id="import-documents">First documents</h2>
          <JsonTree value={suggested.documents.slice(0, 5)} openDepth={2} />
        </section>
      )}
      <FirstRows preview={suggested} columns={columns} />
      <section className="card" aria-labelledby="import-target">
        <h2 id="import-target">Where to</h2>
        <ImportTargetFields target={target} onChange={change(setTarget)} problems={shown} />
        {isTableWrong && (
          <Alert role="alert" color="red" variant="light" mt="md" title="The table could not be read">
            <MessageText of={preview.error} />
          </Alert>
        )}
        <Radio.Group
          mt="md"
          label="Rows"
          value={isUpdating ? 'update' : 'add'}
          onChange={value => change(setUpdating)(value === 'update')}
        >
          <Stack gap={8} mt={6}>
            <Radio value="add" label={isTable ? 'Each row of the file is added' : 'Each row adds a document'} />
            <Radio
              value="update"
              label={
                isTable
                  ? 'Rows update those of the table that have the same key'
                  : 'Rows update the documents that have the same key'
              }
              description={
                isTable
                  ? 'A row with a new key is added. A column that a row does not name keeps its value; an empty cell is NULL.'
                  : 'A row without such a document adds one. Fields that the row lacks stay.'
              }
            />
          </Stack>
        </Radio.Group>
        {isUpdating && (
          <MultiSelect
            mt="sm"
            label="Key"
            description={
              isTable
                ? 'An existing table needs a unique index on exactly these columns.'
                : 'An existing collection needs a unique index on exactly these fields, unless the key is _id.'
            }
            placeholder={key.length === 0 ? 'Choose the fields' : undefined}
            data={[...new Set(fields)]}
            limit={COLUMNS_AT_ONCE}
            searchable
            selectFirstOptionOnChange
            onKeyDown={keepForm}
            value={key}
            onChange={change(setKey)}
            error={shown.key}
          />
        )}
        <Checkbox
          mt="md"
          label="Leave out bad rows"
          description="Otherwise one bad row fails the import, and nothing is changed. You can download the bad rows afterwards."
          checked={skipBadRows}
          onChange={event => change(setSkipBadRows)(event.currentTarget.checked)}
        />
      </section>
      {start.isError && (
        <Alert role="alert" color="red" variant="light" title="The import was not started">
          <MessageText of={start.error} />
        </Alert>
      )}
      <Group justify="flex-end">
        <FocusableButton
          type="submit"
          loading={start.isPending}
          disabled={preview.isPlaceholderData || (isTable && (isTableWrong || settled !== target))}
        >
          Start import
        </FocusableButton>
      </Group>
    </form>
  );
}
