import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Databases that exist already are restricted at their next use. */
export class RestrictedPostgres1795316600000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE postgres_databases ADD COLUMN restricted boolean NOT NULL DEFAULT false');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE postgres_databases DROP COLUMN restricted');
  }
}
