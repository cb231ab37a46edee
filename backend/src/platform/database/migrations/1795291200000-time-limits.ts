import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Gives skripts a time limit of their own. Until now `worker_response_timeout` limited their runs too, so existing
 * skripts keep that limit.
 */
export class TimeLimits1795291200000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE skripts ADD COLUMN time_limit_ms integer NOT NULL DEFAULT 3600000');
    await queryRunner.query('UPDATE skripts SET time_limit_ms = worker_response_timeout');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE skripts DROP COLUMN time_limit_ms');
  }
}
