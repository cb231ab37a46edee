import type { MigrationInterface, QueryRunner } from 'typeorm';

const functionWith = (dueAt: string) => `
CREATE OR REPLACE FUNCTION record_exports_of_runs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Keeps the ends of runs cheap while no exporter waits for any.
  IF EXISTS (SELECT FROM exporters WHERE skript_id IS NOT NULL AND enabled) THEN
    INSERT INTO exporter_runs (exporter_id, execution_id, due_at)
    SELECT e.id, x.id, ${dueAt} FROM ended JOIN executions x ON x.id = ended.execution_id
      JOIN exporters e ON e.skript_id = x.skript_id AND e.owner_id = x.owner_id
    WHERE e.enabled;
  END IF;
  RETURN NULL;
END $$;`;

/**
 * Exporters know which documents they have exported. The export of a run that did not complete waits until MongoDB's
 * time limit has ended the last of its writes.
 */
export class ExportedIds1795442000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
-- The file with the ids of all documents that are in an export that is done.
ALTER TABLE exporters ADD COLUMN exported_ids text;
${functionWith(`CASE x.action WHEN 'end' THEN now() ELSE now() + interval '30 s' END`)}
`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE exporters DROP COLUMN exported_ids;${functionWith('now()')}`);
  }
}
