import { TABLE_TYPES } from '@trawl/contracts';
import type { ImportBody, ImportPreview } from '../../../api/entities.js';
import type { Reading } from './imports.js';

export type CellType = ImportPreview['columns'][number]['type'];

/** The types of fields in MongoDB. */
export const CELL_TYPES: { value: CellType; label: string }[] = [
  { value: 'text', label: 'text' },
  { value: 'number', label: 'number' },
  { value: 'boolean', label: 'true or false' },
  { value: 'date', label: 'date' },
  { value: 'object_id', label: 'ObjectId' },
  { value: 'binary', label: 'binary data' },
  { value: 'json', label: 'JSON' },
];

/** A browser takes minutes to show the fields of thousands of columns. */
export const COLUMNS_AT_ONCE = 100;

/** The types of columns in a new table of PostgreSQL, as options of a select. */
export const TABLE_TYPE_OPTIONS = TABLE_TYPES.map(type => ({ value: type, label: type }));

/** Where the rows go. The fields of the other kind keep what the user has entered. */
export interface ImportTarget {
  kind: 'collection' | 'table';
  databaseId: string;
  collection: string;
  schema: string;
  table: string;
}

/** A column of a CSV file, as the user wants it. */
export interface PlannedColumn {
  index: number;
  /** Name in the header of the file. */
  name: string;
  field: string;
  type: CellType;
  isImported: boolean;
  /** Whether the user has chosen the type. Trawl's guess does not convert a later cell that does not fit it. */
  isTypeChosen: boolean;
}

export interface ImportPlan {
  reading: Reading;
  target: ImportTarget;
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
 * number of columns, another sheet has other columns, and a table has other types than a collection: their changes are
 * separate, and come back with them.
 */
const editKey = ({ columns, sheet, table_columns }: ImportPreview, index: number): string =>
  JSON.stringify([index, columns.length, sheet, table_columns !== undefined]);

/** Returns the columns that Trawl suggests, with the user's changes. */
export const plannedColumns = (preview: ImportPreview, edits: ColumnEdits): PlannedColumn[] =>
  preview.columns.map(column => ({
    ...column,
    isImported: preview.table_columns?.includes(column.field) ?? true,
    isTypeChosen: edits[editKey(preview, column.index)]?.type !== undefined,
    ...edits[editKey(preview, column.index)],
  }));

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
export function planProblems({ target, columns, key }: ImportPlan): Record<string, string> {
  const problems: Record<string, string> = {};
  if (target.kind === 'table') {
    if (target.schema.trim() === '') problems.schema = 'Enter a schema';
    if (target.table.trim() === '') problems.table = 'Enter a table';
  } else {
    if (target.databaseId === '') problems.database = 'Choose a database';
    if (target.collection.trim() === '') problems.collection = 'Enter a collection';
  }
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
  const { reading, target, columns, key, skipBadRows } = plan;
  return {
    ...reading,
    ...(target.kind === 'table'
      ? { table: target.table.trim(), schema: target.schema.trim() }
      : { db_id: target.databaseId, collection: target.collection.trim() }),
    ...(columns.length === 0
      ? {}
      : {
          columns: columns
            .filter(({ isImported }) => isImported)
            .map(({ index, field, type, isTypeChosen }) => ({
              index,
              field: field.trim(),
              ...(isTypeChosen ? { type } : {}),
            })),
        }),
    ...(key.length === 0 ? {} : { key }),
    skip_bad_rows: skipBadRows,
  };
}
