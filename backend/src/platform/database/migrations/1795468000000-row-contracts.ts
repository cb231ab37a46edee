import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The fields of a manifest before contracts. */
export const FIELDS = [
  'title',
  'description',
  'thumbnail',
  'category',
  'environment',
  'worker_response_timeout',
  'time_limit_ms',
  'warm',
  'retries',
  'retry_delay_ms',
  'input_schema',
];

/** SQL: makes the bundle of a skript that names its manifest stale when one of these fields changes. */
export const manifestTrigger = (fields: string[]): string => {
  const values = (row: string) =>
    fields.map(name => `${row}.${name}${name === 'input_schema' || name === 'rows' ? '::text' : ''}`).join(', ');
  return `
    DROP TRIGGER skripts_manifest_changed ON skripts;
    CREATE TRIGGER skripts_manifest_changed BEFORE UPDATE OF ${fields.join(', ')} ON skripts
      FOR EACH ROW WHEN ((${values('OLD')}) IS DISTINCT FROM (${values('NEW')}))
      EXECUTE FUNCTION skript_manifest_changed();`;
};

/** The contract of a skript: what the rows of each run must be like. */
export class RowContracts1795468000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE skripts ADD COLUMN rows json; ${manifestTrigger([...FIELDS, 'rows'])}`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`${manifestTrigger(FIELDS)} ALTER TABLE skripts DROP COLUMN rows;`);
  }
}
