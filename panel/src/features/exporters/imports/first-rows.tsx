import type { ImportPreview } from '../../../api/entities.js';
import { RowsTable } from '../../../components/list/rows-table.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { COLUMNS_AT_ONCE, type PlannedColumn } from './import-plan.js';
import { previewText } from './preview-values.js';

interface FirstRowsProps {
  preview: ImportPreview;
  columns: readonly PlannedColumn[];
}

/** The first rows of the file, with the columns that are imported. */
export function FirstRows({ preview, columns }: FirstRowsProps) {
  const all = columns.filter(({ isImported }) => isImported);
  const imported = all.slice(0, COLUMNS_AT_ONCE);
  if (preview.documents.length === 0 || imported.length === 0) return null;
  return (
    <section className="card" aria-labelledby="import-rows">
      <h2 id="import-rows">First rows</h2>
      {all.length > imported.length && (
        <p className="tab-note">
          The first {imported.length} of {all.length.toLocaleString()} columns.
        </p>
      )}
      <RowsTable
        label="First rows of the file"
        className="first-rows"
        head={imported.map(({ name, field }) => ({
          title: <span className="clip">{inReadingOrder(field || name)}</span>,
        }))}
        rows={preview.documents.map(document => imported.map(({ index }) => previewText(preview, document, index)))}
      />
    </section>
  );
}
