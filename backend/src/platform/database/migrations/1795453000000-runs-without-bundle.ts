import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A run may be accepted before its bundle is built. `builder` is the backend that builds it; null if it is built. */
export class RunsWithoutBundle1795453000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE executions ALTER COLUMN bundle_hash DROP NOT NULL');
    await queryRunner.query('ALTER TABLE live_runs ADD COLUMN builder uuid');
    await queryRunner.query('CREATE INDEX live_runs_unbuilt ON live_runs (builder) WHERE builder IS NOT NULL');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE live_runs DROP COLUMN builder');
    await queryRunner.query("UPDATE executions SET bundle_hash = '' WHERE bundle_hash IS NULL");
    await queryRunner.query('ALTER TABLE executions ALTER COLUMN bundle_hash SET NOT NULL');
  }
}
