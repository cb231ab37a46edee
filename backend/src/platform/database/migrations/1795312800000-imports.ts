import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Uploaded files, and the rows of them that could not be imported. */
export class Imports1795312800000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
CREATE TABLE imports (
  id uuid PRIMARY KEY,
  owner_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  name text NOT NULL,
  bytes bigint NOT NULL DEFAULT 0,
  -- Bytes of the chunks that are still kept.
  kept_bytes bigint NOT NULL DEFAULT 0,
  -- Null until the whole file is here.
  encoding text,
  job_id uuid REFERENCES jobs ON DELETE SET NULL,
  -- What the last start asked for.
  db_id uuid,
  collection text,
  format text,
  bad_rows integer NOT NULL DEFAULT 0,
  -- The collection that holds the rows until they are moved, and its database in MongoDB. Set before it is created and
  -- cleared after it is gone.
  staging_db text,
  staging text,
  -- How to move the rows, and up to which row they are moved. Once it is set, the import always finishes.
  move json,
  moved_to integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX imports_list ON imports (owner_id, created_at DESC, id DESC);
CREATE INDEX imports_job ON imports (job_id);
CREATE INDEX imports_staging ON imports (id) WHERE staging IS NOT NULL;

CREATE TABLE import_chunks (
  import_id uuid NOT NULL REFERENCES imports ON DELETE CASCADE,
  part text NOT NULL CHECK (part IN ('source', 'bad_rows')),
  n integer NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (import_id, part, n)
);
-- Without compression, which would cost more time than the disk.
ALTER TABLE import_chunks ALTER COLUMN bytes SET STORAGE EXTERNAL;
`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE import_chunks, imports');
  }
}
