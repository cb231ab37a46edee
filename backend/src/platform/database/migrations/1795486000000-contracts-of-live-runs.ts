import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A run notes at its start the effect of broken rows, by the contract of its skript: null without a contract, and for a replay. So
 * the statement that ends runs looks up no contracts.
 */
export class ContractsOfLiveRuns1795486000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE live_runs ADD COLUMN on_broken text;
      UPDATE live_runs r SET on_broken = COALESCE(s.rows->>'on_broken', 'notify')
      FROM executions e JOIN skripts s ON s.id = e.skript_id
      WHERE e.id = r.execution_id AND e.replay_of IS NULL AND s.rows IS NOT NULL;`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE live_runs DROP COLUMN on_broken');
  }
}
