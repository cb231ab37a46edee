import { Alert, Button, Group } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { Link, Navigate, useLocation } from 'react-router';
import type { Exporter } from '../../../api/entities.js';
import { type FieldLabels, fieldMessages, isAtFields } from '../../../api/field-messages.js';
import { MessageText } from '../../../components/feedback/message-text.js';
import { FocusableButton } from '../../../components/focusable-button.js';
import { filterText } from '../../../components/mongo-filter/conditions.js';
import { useKeptForm } from '../../../components/unsaved/use-kept-form.js';
import { useCreateExport } from '../exports/exports.js';
import { useChangeExporter, useCreateExporter } from '../saved/exporters.js';
import { DestinationFields, RepeatFields } from './delivery-fields.js';
import {
  type ExportValues,
  exportBody,
  exporterBody,
  exporterChange,
  initialValues,
  ofEachRun,
  problemsOf,
  valuesOf,
} from './export-values.js';
import { FileFields } from './file-fields.js';
import { usePreview } from './preview.js';
import { columnsOf, flattened } from './preview-rows.js';
import { PreviewTable } from './preview-table.js';
import { SourceFields } from './source-fields.js';

const TYPING_PAUSE_MS = 400;

interface ExportFormProps {
  /** Returns a parameter of the address, which a new export begins with; '' if it is missing. */
  address?: (name: string) => string;
  /** The exporter to change; undefined for a new export. */
  exporter?: Exporter;
  /** Addresses of the lists of exports and exporters. */
  exportsHref: string;
  exportersHref: string;
}

/** Describes an export beside its first rows, and starts it once, saves it as an exporter, or changes an exporter. */
export function ExportForm({ address = () => '', exporter, exportsHref, exportersHref }: ExportFormProps) {
  const createExport = useCreateExport();
  const createExporter = useCreateExporter();
  const changeExporter = useChangeExporter();
  const [before] = useState(() => (exporter ? valuesOf(exporter) : initialValues(address)));
  const form = useForm<ExportValues>({ initialValues: before, validate: problemsOf });
  const { values } = form;
  const [settled] = useDebouncedValue(values, TYPING_PAUSE_MS);
  // A statement may take long, so it is not executed while the user types it.
  const [sql, setSql] = useState(values.sql);
  const preview = usePreview({ ...settled, sql });
  const isLater = ofEachRun(values);
  const rows = isLater ? [] : (preview.data?.rows ?? []).map(row => flattened(row, values.flatten));
  const fields = columnsOf(rows, []);
  const isSaved = values.repeat !== 'once';
  const request = exporter ? changeExporter : isSaved ? createExporter : createExport;
  const isDone = request.isSuccess;
  const { secret: _secret, secret_access_key: _secretKey, ...kept } = values;
  useKeptForm({
    // The address says what the form began with.
    name: `export ${useLocation().search}`,
    input: form.isDirty() && !isDone ? kept : null,
    restore: form.setValues,
  });

  const submit = form.onSubmit(chosen => {
    const onError = (error: unknown) => form.setErrors(formErrors(error, labelsOf(chosen)));
    if (exporter) changeExporter.mutate({ exporter, body: exporterChange(chosen, before) }, { onError });
    else if (isSaved) createExporter.mutate(exporterBody(chosen), { onError });
    else createExport.mutate(exportBody(chosen), { onError });
  });

  if (isDone) return <Navigate to={isSaved ? exportersHref : exportsHref} />;
  return (
    <form className="export-form" onSubmit={submit} noValidate>
      <div className="export-fields">
        <section className="card" aria-labelledby="export-data">
          <h2 id="export-data">Data</h2>
          <SourceFields form={form} fields={fields} onPreviewSql={() => setSql(values.sql)} />
        </section>
        <section className="card" aria-labelledby="export-file">
          <h2 id="export-file">File</h2>
          <FileFields form={form} fields={fields} />
        </section>
      </div>
      <div className="export-fields">
        <PreviewTable
          query={preview}
          rows={rows}
          columns={columnsOf(rows, values.fields)}
          isLater={isLater}
          isUnfiltered={values.source === 'run' && filterText(values.conditions, values.written) !== undefined}
        />
        <section className="card" aria-labelledby="export-delivery">
          <h2 id="export-delivery">Delivery</h2>
          <RepeatFields form={form} isSaved={exporter !== undefined} />
          <div className="export-gap" />
          <DestinationFields form={form} kept={exporter?.destination ?? null} />
        </section>
        {request.isError && (
          <Alert
            role="alert"
            color="red"
            variant="light"
            title={isSaved ? 'The exporter was not saved' : 'The export was not started'}
          >
            {!isAtFields(request.error, labelsOf(values)) && <MessageText of={request.error} />}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" component={Link} to={exporter ? exportersHref : exportsHref}>
            Cancel
          </Button>
          <FocusableButton type="submit" loading={request.isPending}>
            {isSaved ? 'Save exporter' : 'Start export'}
          </FocusableButton>
        </Group>
      </div>
    </form>
  );
}

/** Labels of the fields that the API may refuse. */
const labelsOf = ({ destination }: ExportValues): FieldLabels => ({
  name: 'Name of the exporter',
  cron_span: 'The cron span',
  skript_id: 'Skript',
  ...(destination === 'webhook' && {
    'destination.url': 'URL',
    'destination.secret': 'Secret',
  }),
  ...(destination === 's3' && {
    'destination.url': 'Endpoint',
    'destination.bucket': 'Bucket',
    'destination.region': 'Region',
    'destination.prefix': 'Folder or prefix',
    'destination.access_key_id': 'Access key',
    'destination.secret_access_key': 'Secret key',
  }),
});

/** Returns the message of each field. In the form, the fields of the destination are beside the others. */
const formErrors = (error: unknown, labels: FieldLabels): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fieldMessages(error, labels)).map(([name, message]) => [
      name.replace(/^destination\./, ''),
      message,
    ]),
  );
