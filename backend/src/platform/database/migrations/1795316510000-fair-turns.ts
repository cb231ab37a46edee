import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An index that finds each account's running runs, and its waiting ones in their order. */
export class FairTurns1795316510000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('CREATE INDEX live_runs_turns ON live_runs (owner_id, boot_id, execution_id)');
    await queryRunner.query('DROP INDEX live_runs_owner');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('CREATE INDEX live_runs_owner ON live_runs (owner_id)');
    await queryRunner.query('DROP INDEX live_runs_turns');
  }
}
