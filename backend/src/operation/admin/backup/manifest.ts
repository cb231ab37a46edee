import { z } from 'zod';

/**
 * Rises when a version of Trawl writes archives that earlier versions cannot restore.
 * See docs/decisions/0385-backups-without-pg-dump.md.
 */
export const FORMAT = 1;
export const MANIFEST = 'manifest.json';

const entry = z.object({
  name: z.string(),
  bytes: z.number(),
  /** Digest of the uncompressed content, in hexadecimal. */
  sha256: z.string(),
});

const table = z.object({
  name: z.string(),
  columns: z.array(z.string()),
  rows: z.number(),
  /** The partitions of a partitioned table. `bound` is SQL, such as `FOR VALUES FROM (…) TO (…)`. */
  partitions: z.array(z.object({ name: z.string(), bound: z.string() })),
  entry: z.string(),
});

const collection = z.object({
  database: z.string(),
  name: z.string(),
  type: z.enum(['collection', 'view', 'timeseries']),
  options: z.record(z.string(), z.unknown()),
  indexes: z.array(z.record(z.string(), z.unknown())),
  documents: z.number(),
  /** Null for a view. */
  entry: z.string().nullable(),
});

const manifest = z.object({
  format: z.number(),
  created_at: z.string(),
  trawl: z.string(),
  postgres: z.object({
    version: z.string(),
    /** All migrations of the schema. A restore runs the same ones before it copies the rows. */
    migrations: z.array(z.string()),
    tables: z.array(table),
    sequences: z.array(z.object({ name: z.string(), value: z.string(), is_called: z.boolean() })),
  }),
  /** Options and indexes are Extended JSON. */
  mongodb: z.object({ version: z.string(), collections: z.array(collection) }),
  /** Null if the platform has no PostgreSQL for users, or if the backup leaves it out. */
  user_postgres: z
    .object({ version: z.string(), databases: z.array(z.object({ name: z.string(), entry: z.string() })) })
    .nullable(),
  /** The objects with saved echoes, which the backup does not contain. Missing in backups of earlier versions. */
  objects: z.object({ count: z.number(), bytes: z.number() }).optional(),
  entries: z.array(entry),
});

export type Manifest = z.infer<typeof manifest>;
export type DumpedTable = z.infer<typeof table>;
export type DumpedCollection = z.infer<typeof collection>;
export type DumpedUserDatabases = NonNullable<Manifest['user_postgres']>;
export type Entry = z.infer<typeof entry>;

export const parseManifest = (text: string): Manifest => manifest.parse(JSON.parse(text));
