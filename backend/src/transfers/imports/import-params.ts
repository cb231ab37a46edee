import type { Reading } from './reading/rows.js';
import type { TableColumn } from './tables/table-columns.js';
import type { Column } from './values/columns.js';

/** The name of the kind of job. */
export const IMPORT_KIND = 'import';

interface CommonParams {
  import_id: string;
  reading: Reading;
  /** The names of the file's columns. For PostgreSQL also the fields of the documents of NDJSON and JSON. */
  names: string[];
  /** Fields or columns by which rows update what is there. Empty if every row is new. */
  key: string[];
  skip_bad_rows: boolean;
}

export interface MongoParams extends CommonParams {
  db_id: string;
  collection: string;
  /** For tables: the columns to import. */
  columns: Column[];
  table?: undefined;
}

export interface TableParams extends CommonParams {
  schema: string;
  table: string;
  columns: TableColumn[];
  /** Whether the import creates the table. */
  creates: boolean;
}

/** The parameters of an import's job. */
export type ImportParams = MongoParams | TableParams;

export const isForTable = (params: ImportParams): params is TableParams => params.table !== undefined;

export interface ImportResult {
  inserted: number;
  updated: number;
}
