import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Processor and memory of a run over time, and its requests by host. Null for short runs, and for older ones. */
export class RunUsage1795467100000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE executions ADD COLUMN usage json, ADD COLUMN requests json');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE executions DROP COLUMN usage, DROP COLUMN requests');
  }
}
