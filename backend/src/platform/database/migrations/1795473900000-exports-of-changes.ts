import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The condition in the trigger on ended runs, on the exporters `e` that it starts. */
const ENABLED = 'WHERE e.enabled';
const ENABLED_AT_END = `WHERE e.params->'source'->>'source' IS DISTINCT FROM 'changes' AND e.enabled`;

/** Exporters of changes start when the rows of a run are merged, not when it ends. */
export class ExportsOfChanges1795473900000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await this.#changeTrigger(queryRunner, ENABLED, ENABLED_AT_END);
    await queryRunner.query(`
CREATE FUNCTION record_exports_of_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO jobs (kind, lane, params)
  SELECT 'export_after_run', e.id, json_build_object('exporter_id', e.id, 'execution_id', NEW.execution_id)
  FROM exporters e WHERE e.skript_id = NEW.skript_id AND e.enabled AND e.params->'source'->>'source' = 'changes';
  RETURN NULL;
END $$;
CREATE TRIGGER run_merged AFTER UPDATE OF state ON run_merges FOR EACH ROW
  WHEN (NEW.state = 'merged' AND NEW.added + NEW.changed + NEW.back > 0) EXECUTE FUNCTION record_exports_of_changes();`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
DROP TRIGGER run_merged ON run_merges;
DROP FUNCTION record_exports_of_changes();`);
    await this.#changeTrigger(queryRunner, ENABLED_AT_END, ENABLED);
  }

  /** Creates the function again with another condition, so that it keeps what earlier migrations gave it. */
  async #changeTrigger(queryRunner: QueryRunner, from: string, to: string): Promise<void> {
    const [{ body }] = await queryRunner.query(
      `SELECT prosrc AS body FROM pg_proc WHERE oid = 'record_exports_of_runs()'::regprocedure`,
    );
    await queryRunner.query(
      `CREATE OR REPLACE FUNCTION record_exports_of_runs() RETURNS trigger LANGUAGE plpgsql AS $body$${body.replace(from, to)}$body$`,
    );
  }
}
