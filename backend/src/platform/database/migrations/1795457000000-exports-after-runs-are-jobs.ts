import type { MigrationInterface, QueryRunner } from 'typeorm';

const recordIn = (insert: string) => `
CREATE OR REPLACE FUNCTION record_exports_of_runs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Keeps the ends of runs cheap while no exporter waits for any.
  IF EXISTS (SELECT FROM exporters WHERE skript_id IS NOT NULL AND enabled) THEN
    ${insert}, CASE x.action WHEN 'end' THEN now() ELSE now() + interval '30 s' END
    FROM ended JOIN executions x ON x.id = ended.execution_id
      JOIN exporters e ON e.skript_id = x.skript_id AND e.owner_id = x.owner_id
    WHERE e.enabled;
  END IF;
  RETURN NULL;
END $$;`;

/**
 * Exports after runs are jobs of the platform, with a lane for each exporter. A view takes the place of their table, so
 * that backends of the version before find nothing to do.
 */
export class ExportsAfterRunsAreJobs1795457000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
CREATE INDEX jobs_lane ON jobs (lane) WHERE ended_at IS NULL AND owner_id IS NULL AND lane <> '';
INSERT INTO jobs (kind, lane, params, run_at)
  SELECT 'export_after_run', exporter_id, json_build_object('exporter_id', exporter_id, 'execution_id', execution_id), due_at
  FROM exporter_runs ORDER BY id;
DROP TABLE exporter_runs;
CREATE VIEW exporter_runs AS
  SELECT NULL::bigint AS id, NULL::uuid AS exporter_id, NULL::uuid AS execution_id, now() AS due_at WHERE false;
CREATE FUNCTION change_no_exporter_run() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER exporter_runs_unchanged INSTEAD OF UPDATE OR DELETE ON exporter_runs
  FOR EACH ROW EXECUTE FUNCTION change_no_exporter_run();
${recordIn(`INSERT INTO jobs (kind, lane, params, run_at)
    SELECT 'export_after_run', e.id, json_build_object('exporter_id', e.id, 'execution_id', x.id)`)}
`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
DROP VIEW exporter_runs;
DROP FUNCTION change_no_exporter_run();
CREATE TABLE exporter_runs (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  exporter_id uuid NOT NULL,
  execution_id uuid NOT NULL,
  due_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX exporter_runs_exporter ON exporter_runs (exporter_id, id);
CREATE INDEX exporter_runs_due ON exporter_runs (due_at);
INSERT INTO exporter_runs (exporter_id, execution_id, due_at)
  SELECT (params ->> 'exporter_id')::uuid, (params ->> 'execution_id')::uuid, run_at FROM jobs
  WHERE kind = 'export_after_run' ORDER BY run_at;
DELETE FROM jobs WHERE kind = 'export_after_run';
DROP INDEX jobs_lane;
${recordIn('INSERT INTO exporter_runs (exporter_id, execution_id, due_at) SELECT e.id, x.id')}
`);
  }
}
