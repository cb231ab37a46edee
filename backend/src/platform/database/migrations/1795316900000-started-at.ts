import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When a worker took a run. Runs from before this migration have no such time. */
export class StartedAt1795316900000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE executions ADD COLUMN started_at timestamptz');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE executions DROP COLUMN started_at');
  }
}
