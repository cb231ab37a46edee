import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Issues: the failures of a skript that have the same error code, message and place. `issue_id` of a failed run is null
 * until a backend has counted the failure.
 */
export class Issues1795461000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE issues (
        id uuid PRIMARY KEY,
        owner_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
        skript_id uuid NOT NULL,
        skript_name text NOT NULL,
        fingerprint bytea NOT NULL,
        error_code text NOT NULL,
        message text NOT NULL,
        frame text,
        status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'muted', 'resolved')),
        runs integer NOT NULL,
        first_run_id uuid NOT NULL,
        last_run_id uuid NOT NULL,
        first_version text,
        last_version text,
        reopened_version text,
        first_seen_at timestamptz NOT NULL,
        last_seen_at timestamptz NOT NULL,
        reopened_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        UNIQUE (owner_id, skript_id, fingerprint)
      );
      CREATE INDEX issues_last_seen ON issues (owner_id, last_seen_at DESC, id DESC);
      ALTER TABLE executions ADD COLUMN issue_id uuid;
      CREATE INDEX executions_issue ON executions (issue_id, id DESC) WHERE issue_id IS NOT NULL;
      CREATE INDEX executions_without_issue ON executions (id) WHERE action = 'error' AND issue_id IS NULL;`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE executions DROP COLUMN issue_id; DROP TABLE issues;');
  }
}
