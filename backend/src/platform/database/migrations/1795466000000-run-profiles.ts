import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Figures of the rows that runs have stored, and the verdict on them. A row without a verdict waits for one. Runs that ended earlier
 * have no row. `input_key` tells apart the runs of a skript with different inputs; `is_good` is false for a broken run,
 * with which later runs are not compared.
 */
export class RunProfiles1795466000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE run_profiles (
        execution_id uuid PRIMARY KEY,
        skript_id uuid NOT NULL,
        input_key text NOT NULL,
        profile json NOT NULL,
        examples json,
        verdict json,
        is_good boolean NOT NULL DEFAULT true
      );
      CREATE INDEX run_profiles_earlier ON run_profiles (skript_id, input_key, execution_id DESC);
      CREATE INDEX run_profiles_unjudged ON run_profiles (execution_id) WHERE verdict IS NULL;`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE run_profiles');
  }
}
