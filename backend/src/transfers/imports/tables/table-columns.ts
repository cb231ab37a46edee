import { TABLE_TYPES, type TableType } from '@trawl/contracts';
import { invalid } from '../../../data/storage/values/extended-json.js';
import type { DecimalMark } from '../values/cell-types.js';
import { guessTableType, kindOf, type ValueKind } from './table-types.js';

/** Where the values of a column of the file go. */
export interface TableColumn {
  /** Position in the file, from 0. */
  index: number;
  /** Name of the column in the table. */
  field: string;
  /** Its type, as PostgreSQL names it. */
  type: string;
  kind: ValueKind;
  /** If the column has arrays, the kind of their items. */
  item_kind?: ValueKind;
  /** Whether Trawl has guessed the type from the first rows. Then a later value must fit the guess, rather than be converted. */
  guessed?: true;
  /** Whether PostgreSQL has a value for rows that leave the column out. */
  has_default?: true;
}

/** A table of the account. */
export interface TableDefinition {
  columns: {
    name: string;
    type: string;
    kind: ValueKind;
    itemKind: ValueKind | undefined;
    isGenerated: boolean;
    hasDefault: boolean;
  }[];
  /** The columns of each unique index on whole columns. */
  uniqueIndexes: string[][];
}

/** PostgreSQL cuts longer names. */
const MAX_NAME_BYTES = 63;
const MAX_TABLE_COLUMNS = 1_600;

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Explains why PostgreSQL cannot have an object with this name; undefined for a valid name. */
export function nameProblem(name: string): string | undefined {
  if (name === '' || name.includes('\0')) return 'must have a character, and no NUL character';
  const bytes = Buffer.byteLength(name);
  return bytes > MAX_NAME_BYTES ? `must have at most ${MAX_NAME_BYTES} bytes; you sent ${bytes}` : undefined;
}

/**
 * Suggests where the columns of a file go: in a table that exists, to the column with the same name, which decides the type;
 * in a new one, to a column with a type that fits the values in `sample`.
 * @param declared the types that the file declares.
 */
export function suggestTableColumns(
  names: string[],
  sample: unknown[][],
  options: { table: TableDefinition | null; declared?: TableType[]; isTable: boolean; mark?: DecimalMark | undefined },
): TableColumn[] {
  const { table, declared } = options;
  const taken = new Set<string>();
  return names.map((name, index) => {
    const known = table?.columns.find(column => column.name === name);
    if (known && !taken.has(name)) {
      taken.add(name);
      return { index, field: name, ...settingsOf(known) };
    }
    const field = freeName(name, index, taken);
    taken.add(field);
    const values = sample.map(row => row[index]);
    const ofFile = declared?.[index];
    const type = ofFile ?? guessTableType(values, options);
    return { index, field, type, kind: kindOf(type), ...(ofFile ? {} : { guessed: true }) };
  });
}

function freeName(name: string, index: number, taken: Set<string>): string {
  const clean = name.replaceAll('\0', '') || `column_${index + 1}`;
  for (let count = 1; ; count += 1) {
    const end = count === 1 ? '' : `_${count}`;
    const free = `${cut(clean, MAX_NAME_BYTES - end.length)}${end}`;
    if (!taken.has(free)) return free;
  }
}

/** Cuts a text between two characters. */
const cut = (text: string, bytes: number): string =>
  Buffer.byteLength(text) <= bytes
    ? text
    : new TextDecoder().decode(Buffer.from(text).subarray(0, bytes)).replace(/\ufffd+$/, '');

/**
 * Checks the columns of a request.
 * @param suggested the columns of the file. They decide the types that the request leaves out.
 * @throws {ApiError} 400 naming the faulty field.
 */
export function checkTableColumns(
  sent: unknown,
  suggested: TableColumn[],
  table: TableDefinition | null,
): TableColumn[] {
  const width = suggested.length;
  if (!Array.isArray(sent) || sent.length === 0) throw invalid('columns', 'must be a list of at least one column');
  if (sent.length > width) throw invalid('columns', `has ${sent.length} columns; the file has ${width}`);
  const [indexes, fields] = [new Set<number>(), new Set<string>()];
  return sent.map((column, at) => {
    const { index, field, type, ...others } = (column ?? {}) as { index: number; field: string; type: string };
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) throw invalid(`columns.${at}`, `has an unknown field ${unknown.slice(0, 100)}`);
    if (!Number.isInteger(index) || index < 0 || index >= width || indexes.has(index)) {
      throw invalid(`columns.${at}.index`, `must be a whole number from 0 to ${width - 1} that no other column has`);
    }
    const problem = typeof field === 'string' ? nameProblem(field) : 'must be text';
    if (problem) throw invalid(`columns.${at}.field`, problem);
    if (fields.has(field)) throw invalid(`columns.${at}.field`, 'is the name of another column');
    indexes.add(index);
    fields.add(field);
    if (table) return { index, field, ...columnOf(table, field, `columns.${at}.field`) };
    if (type === undefined) return { ...(suggested[index] as TableColumn), field };
    if (!TABLE_TYPES.includes(type as TableType)) {
      throw invalid(`columns.${at}.type`, `must be one of ${TABLE_TYPES.join(', ')}`);
    }
    return { index, field, type, kind: kindOf(type as TableType) };
  });
}

/**
 * Checks that the table has all columns, or that a new one can have them.
 * @throws {ApiError} 400 naming a column that it lacks.
 */
export function assertFits(columns: TableColumn[], table: TableDefinition | null): TableColumn[] {
  if (!table) {
    if (columns.length === 0) throw invalid('columns', 'the file has no columns, so it cannot make a new table');
    if (columns.length > MAX_TABLE_COLUMNS) {
      throw invalid('columns', `a table has at most ${MAX_TABLE_COLUMNS} columns; the file has ${columns.length}`);
    }
    return columns;
  }
  for (const { field } of columns) columnOf(table, field, 'columns');
  // PostgreSQL computes generated columns itself.
  return columns.filter(({ field }) => !table.columns.some(({ name, isGenerated }) => name === field && isGenerated));
}

/**
 * Returns the columns for a table that has been created meanwhile. Its types replace those that were planned.
 * @throws {ApiError} 400 naming a column that it lacks.
 */
export const fittedTo = (table: TableDefinition, columns: TableColumn[]): TableColumn[] =>
  assertFits(
    columns.map(({ index, field }) => ({ index, field, ...columnOf(table, field, 'columns') })),
    table,
  );

const settingsOf = ({ type, kind, itemKind, hasDefault }: TableDefinition['columns'][number]) => ({
  type,
  kind,
  ...(itemKind ? { item_kind: itemKind } : {}),
  ...(hasDefault ? ({ has_default: true } as const) : {}),
});

function columnOf({ columns }: TableDefinition, field: string, path: string): Omit<TableColumn, 'index' | 'field'> {
  const found = columns.find(({ name }) => name === field);
  if (found) return settingsOf(found);
  const names = columns.map(({ name }) => name).join(', ');
  throw invalid(
    path,
    `the table has no column ${field}, only ${names.slice(0, 500)}. Add the column to the table, or name the columns to import`,
  );
}
