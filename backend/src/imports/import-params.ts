import type { Reading } from './reading/rows.js';
import type { Column } from './values/columns.js';

/** The name of the kind of job. */
export const IMPORT_KIND = 'import';

/** The parameters of an import's job. */
export interface ImportParams {
  import_id: string;
  db_id: string;
  collection: string;
  reading: Reading;
  /** For CSV: the names in the header, and the columns to import. */
  names: string[];
  columns: Column[];
  /** Fields by which rows update documents. Empty if every row adds one. */
  key: string[];
  skip_bad_rows: boolean;
}

export interface ImportResult {
  inserted: number;
  updated: number;
}
