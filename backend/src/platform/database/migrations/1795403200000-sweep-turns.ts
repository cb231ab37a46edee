import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * When a backend last swept, so that several backends together sweep as often as one. Backends that may end runs of lost
 * workers, and those that may not yet, take separate turns. Unlogged: after a crash, the next sweep comes at once.
 */
export class SweepTurns1795403200000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'CREATE UNLOGGED TABLE sweep_turns (may_end_runs boolean PRIMARY KEY, taken_at timestamptz NOT NULL)',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE sweep_turns');
  }
}
