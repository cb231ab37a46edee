/** The types of PostgreSQL that columns of new tables can have. */
export const TABLE_TYPES = [
  'text',
  'bigint',
  'numeric',
  'double precision',
  'boolean',
  'date',
  'timestamptz',
  'timestamp',
  'time',
  'uuid',
  'bytea',
  'jsonb',
] as const;
export type TableType = (typeof TABLE_TYPES)[number];
