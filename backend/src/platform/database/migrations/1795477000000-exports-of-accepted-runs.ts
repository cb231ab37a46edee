import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * An accepted run starts its exporters once. Exporters of changes start when its rows are merged. An export that still
 * waits for the run since its end is replaced: its job may be about to end without an export, because another backend
 * has just seen that the rows are held.
 */
export class ExportsOfAcceptedRuns1795477000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
CREATE OR REPLACE FUNCTION record_exports_of_accepted_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM jobs j USING exporters e JOIN executions x ON x.skript_id = e.skript_id AND x.owner_id = e.owner_id
  WHERE x.id = NEW.execution_id AND j.kind = 'export_after_run' AND j.lane = e.id::text AND j.owner_id IS NULL
    AND j.ended_at IS NULL AND j.state = 'queued' AND j.params->>'execution_id' = NEW.execution_id::text
    AND e.params->'source'->>'source' IS DISTINCT FROM 'changes';
  INSERT INTO jobs (kind, lane, params, run_at)
  SELECT 'export_after_run', e.id, json_build_object('exporter_id', e.id, 'execution_id', x.id), now()
  FROM executions x JOIN exporters e ON e.skript_id = x.skript_id AND e.owner_id = x.owner_id
  WHERE x.id = NEW.execution_id AND e.enabled AND e.params->'source'->>'source' IS DISTINCT FROM 'changes';
  RETURN NULL;
END $$`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
CREATE OR REPLACE FUNCTION record_exports_of_accepted_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO jobs (kind, lane, params, run_at)
  SELECT 'export_after_run', e.id, json_build_object('exporter_id', e.id, 'execution_id', x.id), now()
  FROM executions x JOIN exporters e ON e.skript_id = x.skript_id AND e.owner_id = x.owner_id
  WHERE x.id = NEW.execution_id AND e.enabled;
  RETURN NULL;
END $$`);
  }
}
