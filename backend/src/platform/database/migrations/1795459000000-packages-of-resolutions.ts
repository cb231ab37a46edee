import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many packages npm has found for a run that waits for its libraries; null before the first one. */
export class PackagesOfResolutions1795459000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE live_runs ADD COLUMN waiting_packages integer');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE live_runs DROP COLUMN waiting_packages');
  }
}
