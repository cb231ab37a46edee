import type { ImportBody, ImportPreview } from '../../../api/entities.js';
import type { Reading } from './imports.js';

export type CellType = ImportPreview['columns'][number]['type'];

export const CELL_TYPES: { value: CellType; label: string }[] = [
  { value: 'text', label: 'text' },
  { value: 'number', label: 'number' },
  { value: 'boolean', label: 'true or false' },
  { value: 'date', label: 'date' },
  { value: 'object_id', label: 'ObjectId' },
  { value: 'json', label: 'JSON' },
];

/** A column of a CSV file, as the user wants it. */
export interface PlannedColumn {
  index: number;
  /** Name in the header of the file. */
  name: string;
  field: string;
  type: CellType;
  isImported: boolean;
}

export interface ImportPlan {
  reading: Reading;
  databaseId: string;
  collection: string;
  columns: PlannedColumn[];
  /** Fields by which rows update documents; empty if every row adds one. */
  key: string[];
  skipBadRows: boolean;
}

/** The user's changes of a column. */
export type ColumnEdit = Partial<Pick<PlannedColumn, 'field' | 'type' | 'isImported'>>;

/** The user's changes by `editKey`. */
export type ColumnEdits = Readonly<Record<string, ColumnEdit>>;

/**
 * Changes survive another header row, encoding or decimal mark. Another delimiter usually cuts the file into another
 * number of columns: their changes are separate, and come back with the delimiter.
 */
const editKey = ({ columns }: ImportPreview, index: number): string => `${index} of ${columns.length}`;

/** Returns the columns that Trawl suggests, with the user's changes. */
export const plannedColumns = (preview: ImportPreview, edits: ColumnEdits): PlannedColumn[] =>
  preview.columns.map(column => ({ ...column, isImported: true, ...edits[editKey(preview, column.index)] }));

export const withEdit = (
  edits: ColumnEdits,
  preview: ImportPreview,
  { index }: PlannedColumn,
  edit: ColumnEdit,
): ColumnEdits => {
  const key = editKey(preview, index);
  return { ...edits, [key]: { ...edits[key], ...edit } };
};

/** Returns what is wrong with a plan, by field. */
export function planProblems({ databaseId, collection, columns, key }: ImportPlan): Record<string, string> {
  const problems: Record<string, string> = {};
  if (databaseId === '') problems.database = 'Choose a database';
  if (collection.trim() === '') problems.collection = 'Enter a collection';
  const imported = columns.filter(({ isImported }) => isImported);
  if (columns.length > 0 && imported.length === 0) problems.columns = 'Choose at least one column.';
  const nameless = imported.find(({ field }) => field.trim() === '');
  if (nameless) problems.columns = `Enter a field for the column ${nameless.name || nameless.index + 1}.`;
  const fields = imported.map(({ field }) => field.trim());
  const twice = fields.find((field, position) => field !== '' && fields.indexOf(field) !== position);
  if (twice !== undefined) problems.columns = `Two columns go into the field ${twice}. Rename one of them.`;
  const missing = columns.length === 0 ? undefined : key.find(field => !fields.includes(field));
  if (missing !== undefined) problems.key = `No imported column has the field ${missing}.`;
  return problems;
}

/** Returns the request that starts the import. */
export function importBody(plan: ImportPlan): ImportBody {
  const { reading, databaseId, collection, columns, key, skipBadRows } = plan;
  return {
    ...reading,
    db_id: databaseId,
    collection: collection.trim(),
    ...(columns.length === 0
      ? {}
      : {
          columns: columns
            .filter(({ isImported }) => isImported)
            .map(({ index, field, type }) => ({ index, field: field.trim(), type })),
        }),
    ...(key.length === 0 ? {} : { key }),
    skip_bad_rows: skipBadRows,
  };
}
