import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Issues: the failures of a skript that have the same error code, message and place. Runs that fail from now on have a
 * row in `failures`, without an issue until a backend has counted it. Nothing here reads or writes the whole history.
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
        resolved_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        UNIQUE (owner_id, skript_id, fingerprint)
      );
      CREATE INDEX issues_last_seen ON issues (owner_id, last_seen_at DESC, id DESC);
      CREATE TABLE failures (
        execution_id uuid PRIMARY KEY,
        issue_id uuid REFERENCES issues (id) ON DELETE CASCADE
      );
      CREATE INDEX failures_issue ON failures (issue_id, execution_id);
      CREATE FUNCTION note_failure() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO failures (execution_id) VALUES (NEW.id) ON CONFLICT DO NOTHING;
        RETURN NULL;
      END $$;
      CREATE TRIGGER executions_failed AFTER UPDATE ON executions
        FOR EACH ROW WHEN (NEW.action = 'error' AND OLD.action <> 'error') EXECUTE FUNCTION note_failure();`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'DROP TRIGGER executions_failed ON executions; DROP FUNCTION note_failure; DROP TABLE failures; DROP TABLE issues;',
    );
  }
}
