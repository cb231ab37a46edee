import type { MigrationInterface, QueryRunner } from 'typeorm';
import { FIELDS, manifestTrigger } from './1795468000000-row-contracts.js';

/**
 * The last exchanges and the last page of failed and broken runs. `gz` is the gzipped JSON that the worker sent, and
 * `list` is that without bodies, with the page.
 */
export class RunEvidence1795470000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE run_evidence (
        execution_id uuid PRIMARY KEY,
        list json NOT NULL,
        gz bytea NOT NULL
      );
      ALTER TABLE run_evidence ALTER COLUMN gz SET STORAGE EXTERNAL;
      ALTER TABLE skripts ADD COLUMN keep_exchanges boolean NOT NULL DEFAULT true;
      ${manifestTrigger([...FIELDS, 'rows', 'keep_exchanges'])}`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`${manifestTrigger([...FIELDS, 'rows'])}
      ALTER TABLE skripts DROP COLUMN keep_exchanges;
      DROP TABLE run_evidence;`);
  }
}
