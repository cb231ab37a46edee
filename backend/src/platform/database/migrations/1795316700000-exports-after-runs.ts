import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Exports after runs are recorded with the end of the run, so that no restart loses them. */
export class ExportsAfterRuns1795316700000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
-- planned_at: the time at which next_at was computed. If it is in the future, the clock was ahead.
ALTER TABLE exporters ADD COLUMN planned_at timestamptz NOT NULL DEFAULT now();

-- Ended runs after which an exporter must export. No foreign keys, so that ending a run locks no exporter.
CREATE TABLE exporter_runs (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  exporter_id uuid NOT NULL,
  execution_id uuid NOT NULL,
  due_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX exporter_runs_exporter ON exporter_runs (exporter_id, id);
CREATE INDEX exporter_runs_due ON exporter_runs (due_at);

CREATE FUNCTION record_exports_of_runs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Keeps the ends of runs cheap while no exporter waits for any.
  IF EXISTS (SELECT FROM exporters WHERE skript_id IS NOT NULL AND enabled) THEN
    INSERT INTO exporter_runs (exporter_id, execution_id)
    SELECT e.id, x.id FROM ended JOIN executions x ON x.id = ended.execution_id
      JOIN exporters e ON e.skript_id = x.skript_id AND e.owner_id = x.owner_id
    WHERE e.enabled;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER live_runs_exported AFTER DELETE ON live_runs REFERENCING OLD TABLE AS ended
  FOR EACH STATEMENT EXECUTE FUNCTION record_exports_of_runs();
`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
DROP TRIGGER live_runs_exported ON live_runs;
DROP FUNCTION record_exports_of_runs();
DROP TABLE exporter_runs;
ALTER TABLE exporters DROP COLUMN planned_at;
`);
  }
}
