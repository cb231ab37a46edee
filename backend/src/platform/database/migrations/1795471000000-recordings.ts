import type { MigrationInterface, QueryRunner } from 'typeorm';

const WITHOUT_REPLAYS = ' AND e.replay_of IS NULL';

const recordEnded = (condition: string): string => `
CREATE OR REPLACE FUNCTION record_ended_runs() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  types text[] := ARRAY['run.completed', 'run.failed', 'run.stopped'];
BEGIN
  IF EXISTS (SELECT FROM ended JOIN webhook_endpoints w ON w.owner_id = ended.owner_id WHERE w.enabled AND w.events && types)
     OR EXISTS (SELECT FROM ended JOIN notification_settings s ON s.user_id = ended.owner_id WHERE s.email_events && types) THEN
    PERFORM record_events(array_agg(e.owner_id),
      array_agg('run.' || CASE e.action WHEN 'end' THEN 'completed' WHEN 'stop' THEN 'stopped' ELSE 'failed' END),
      array_agg(json_build_object(
        'execution_id', e.id,
        'skript', json_build_object('id', e.skript_id, 'name', e.skript_name),
        'worker', CASE WHEN e.worker_id IS NOT NULL THEN json_build_object('id', e.worker_id, 'name', e.worker_name) END,
        'schedule_id', e.schedule_id,
        'action', e.action,
        'error_code', e.error_code,
        'error_message', left(split_part(e.error_stack, E'\\n', 1), 300),
        'attempt', e.attempt,
        'started_at', iso_time(e.created_at),
        'ended_at', iso_time(e.updated_at))))
    FROM ended JOIN executions e ON e.id = ended.execution_id
    WHERE e.action IN ('end', 'stop', 'error')${condition} AND NOT EXISTS (
      SELECT FROM executions n
      WHERE n.owner_id = e.owner_id AND n.retry_of = COALESCE(e.retry_of, e.id) AND n.attempt > e.attempt);
  END IF;
  RETURN NULL;
END $$;`;

const recordExports = (condition: string): string => `
CREATE OR REPLACE FUNCTION record_exports_of_runs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Keeps the ends of runs cheap while no exporter waits for any.
  IF EXISTS (SELECT FROM exporters WHERE skript_id IS NOT NULL AND enabled) THEN
    INSERT INTO jobs (kind, lane, params, run_at)
    SELECT 'export_after_run', e.id, json_build_object('exporter_id', e.id, 'execution_id', x.id), CASE x.action WHEN 'end' THEN now() ELSE now() + interval '30 s' END
    FROM ended JOIN executions x ON x.id = ended.execution_id
      JOIN exporters e ON e.skript_id = x.skript_id AND e.owner_id = x.owner_id
    WHERE e.enabled${condition};
  END IF;
  RETURN NULL;
END $$;`;

const noteFailures = (condition: string): string => `
DROP TRIGGER executions_failed ON executions;
CREATE TRIGGER executions_failed AFTER UPDATE ON executions
  FOR EACH ROW WHEN (NEW.action = 'error' AND OLD.action <> 'error'${condition}) EXECUTE FUNCTION note_failure();`;

/**
 * Records of the HTTP exchanges of runs, in parts, and replays of them. A part is in its row or in an object. A replay
 * is no news: it makes no notification, export or issue.
 */
export class Recordings1795471000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
ALTER TABLE skripts ADD COLUMN record text NOT NULL DEFAULT 'off' CHECK (record IN ('off', 'next', 'always'));
ALTER TABLE executions ADD COLUMN record json, ADD COLUMN replay_of uuid;
CREATE TABLE record_parts (
  execution_id uuid NOT NULL,
  n integer NOT NULL,
  owner_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  bytes integer NOT NULL,
  data bytea,
  object_key text,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (execution_id, n)
);
ALTER TABLE record_parts ALTER COLUMN data SET STORAGE EXTERNAL;
CREATE INDEX record_parts_owner ON record_parts (owner_id) INCLUDE (bytes);
CREATE INDEX record_parts_age ON record_parts (created_at);
CREATE TRIGGER delete_objects_of_parts AFTER DELETE ON record_parts REFERENCING OLD TABLE AS deleted
  FOR EACH STATEMENT EXECUTE FUNCTION delete_objects_of_chunks();
${recordEnded(WITHOUT_REPLAYS)}
${recordExports(' AND x.replay_of IS NULL')}
${noteFailures(' AND NEW.replay_of IS NULL')}`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`${recordEnded('')}
${recordExports('')}
${noteFailures('')}
DROP TABLE record_parts;
ALTER TABLE executions DROP COLUMN record, DROP COLUMN replay_of;
ALTER TABLE skripts DROP COLUMN record;`);
  }
}
