import type { MigrationInterface, QueryRunner } from 'typeorm';

export class WorkerNamesOfRuns1739000000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    // As long as the history takes.
    await queryRunner.query('SET LOCAL statement_timeout = 0');
    await queryRunner.query(up);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(down);
  }
}

// A run outlives its worker, and keeps its name as it keeps its skript's.
const up = `
ALTER TABLE executions ADD COLUMN worker_name text;
UPDATE executions e SET worker_name = w.name FROM workers w WHERE w.id = e.worker_id;
`;

const down = `
ALTER TABLE executions DROP COLUMN worker_name;
`;
