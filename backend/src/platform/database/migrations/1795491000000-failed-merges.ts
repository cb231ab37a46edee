import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A merge that fails again and again gets the state `failed`, with the reason that its owner reads. */
export class FailedMerges1795491000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'ALTER TABLE run_merges ADD COLUMN failed_attempts integer NOT NULL DEFAULT 0, ADD COLUMN reason text',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE run_merges DROP COLUMN failed_attempts, DROP COLUMN reason');
  }
}
