import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Stores answers to questions of runs until the run's worker has them. The column is null for nearly all runs. */
export class Answers1795298400000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE live_runs ADD COLUMN answers jsonb');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE live_runs DROP COLUMN answers');
  }
}
