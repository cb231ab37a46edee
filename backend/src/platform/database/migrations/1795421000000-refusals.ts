import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the reason why the worker refused the last command of a run, so that every backend can return it. */
export class Refusals1795421000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE live_runs ADD COLUMN refusal text');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE live_runs DROP COLUMN refusal');
  }
}
