import type { MigrationInterface, QueryRunner } from 'typeorm';

/** `proxy_reports` is the number of the last report of a run about its proxies. A repeated report is not counted again. */
export class RepeatedProxyReports1795509910000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE executions ADD COLUMN proxy_reports integer');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE executions DROP COLUMN proxy_reports');
  }
}
