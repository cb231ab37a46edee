/** Messages from the backend to the process that reads a Parquet file. */
export type Question =
  | { type: 'open'; bytes: number; forTable: boolean }
  /** For the next rows. */
  | { type: 'next' }
  /** The bytes that the process asked for. */
  | { type: 'bytes'; id: number; bytes: Uint8Array };

/** Messages from the process to the backend. */
export type Answer =
  | { type: 'columns'; columns: ParquetColumn[] }
  /** Each row is BSON of `{ r: cells }`. None at the end of the file. */
  | { type: 'rows'; rows: Uint8Array[] }
  | { type: 'read'; id: number; start: number; end: number }
  | { type: 'failed'; reason: string };

/** A value of MongoDB, or a text for PostgreSQL. */
export type ParquetCell = string | number | boolean | Date | object | undefined;

export interface ParquetColumn {
  name: string;
  /** The type of fields in MongoDB, and of columns in PostgreSQL. */
  type: 'text' | 'number' | 'boolean' | 'date' | 'binary' | 'json';
  tableType: string;
}
