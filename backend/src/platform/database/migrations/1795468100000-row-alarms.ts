import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Runs whose rows are held, and alarms about rows. An alarm of the kind `broken` is a skript and input whose rows are
 * broken. An alarm of the kind `fresh` is a skript whose contract has `fresh_hours`; it is told when it is due without a
 * good run. `due_at` of told alarms is the time of the next daily digest.
 */
export class RowAlarms1795468100000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE run_profiles ADD COLUMN is_held boolean NOT NULL DEFAULT false;
      CREATE INDEX run_profiles_held ON run_profiles (skript_id) WHERE is_held;
      -- The export after the run was left out while its rows were held.
      CREATE FUNCTION record_exports_of_accepted_run() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO jobs (kind, lane, params, run_at)
        SELECT 'export_after_run', e.id, json_build_object('exporter_id', e.id, 'execution_id', x.id), now()
        FROM executions x JOIN exporters e ON e.skript_id = x.skript_id AND e.owner_id = x.owner_id
        WHERE x.id = NEW.execution_id AND e.enabled;
        RETURN NULL;
      END $$;
      CREATE TRIGGER run_profiles_accepted AFTER UPDATE OF is_held ON run_profiles
        FOR EACH ROW WHEN (OLD.is_held AND NOT NEW.is_held AND OLD.verdict IS NOT NULL)
        EXECUTE FUNCTION record_exports_of_accepted_run();
      CREATE TABLE row_alarms (
        skript_id uuid NOT NULL REFERENCES skripts ON DELETE CASCADE,
        kind text NOT NULL CHECK (kind IN ('broken', 'fresh')),
        input_key text NOT NULL,
        due_at timestamptz NOT NULL,
        told_at timestamptz,
        runs integer NOT NULL DEFAULT 0,
        data json,
        PRIMARY KEY (skript_id, kind, input_key)
      );
      CREATE INDEX row_alarms_due ON row_alarms (due_at);
      CREATE FUNCTION skript_fresh_changed() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF NEW.rows->>'fresh_hours' IS NULL THEN
          DELETE FROM row_alarms WHERE skript_id = NEW.id AND kind = 'fresh';
        ELSIF TG_OP = 'INSERT' OR NEW.rows->>'fresh_hours' IS DISTINCT FROM OLD.rows->>'fresh_hours' THEN
          INSERT INTO row_alarms (skript_id, kind, input_key, due_at)
          VALUES (NEW.id, 'fresh', '', now() + (NEW.rows->>'fresh_hours')::int * interval '1 hour')
          ON CONFLICT (skript_id, kind, input_key) DO UPDATE SET due_at = EXCLUDED.due_at
            WHERE row_alarms.told_at IS NULL;
        END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER skripts_fresh_set AFTER INSERT ON skripts
        FOR EACH ROW WHEN (NEW.rows IS NOT NULL) EXECUTE FUNCTION skript_fresh_changed();
      CREATE TRIGGER skripts_fresh_changed AFTER UPDATE OF rows ON skripts
        FOR EACH ROW WHEN (OLD.rows::text IS DISTINCT FROM NEW.rows::text) EXECUTE FUNCTION skript_fresh_changed();`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP TRIGGER skripts_fresh_set ON skripts;
      DROP TRIGGER skripts_fresh_changed ON skripts;
      DROP FUNCTION skript_fresh_changed;
      DROP TABLE row_alarms;
      DROP TRIGGER run_profiles_accepted ON run_profiles;
      DROP FUNCTION record_exports_of_accepted_run;
      ALTER TABLE run_profiles DROP COLUMN is_held;`);
  }
}
