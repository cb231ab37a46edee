import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Work that outlives a request, such as exports and imports. */
export class Jobs1795309200000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
CREATE TABLE jobs (
  id uuid PRIMARY KEY,
  owner_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  kind text NOT NULL,
  params json NOT NULL,
  state text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'running', 'done', 'failed', 'cancelled')),
  progress json NOT NULL DEFAULT '{}',
  result json,
  error_code text,
  error_message text,
  -- Number of times that a backend took the job. It fences off backends that lost their lease.
  attempt integer NOT NULL DEFAULT 0,
  cancel_requested boolean NOT NULL DEFAULT false,
  lease_until timestamptz,
  started_at timestamptz,
  ended_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX jobs_list ON jobs (owner_id, kind, created_at DESC, id DESC);
CREATE INDEX jobs_open ON jobs (owner_id) WHERE ended_at IS NULL;
CREATE INDEX jobs_ended ON jobs (ended_at) WHERE ended_at IS NOT NULL;
`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE jobs');
  }
}
