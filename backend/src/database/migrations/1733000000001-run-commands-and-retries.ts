import type { MigrationInterface, QueryRunner } from 'typeorm';

// `cmd_done`: the command of this number has been obeyed. `sealed_for`: the run whose values these are, the first
// of a chain; null: its own.
export class RunCommandsAndRetries1733000000001 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
ALTER TABLE live_runs
  ADD COLUMN cmd_done integer NOT NULL DEFAULT 0,
  ADD COLUMN retries_left integer NOT NULL DEFAULT 0,
  ADD COLUMN retry_delay_ms integer NOT NULL DEFAULT 0,
  ADD COLUMN sealed_for uuid;
`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
ALTER TABLE live_runs DROP COLUMN cmd_done, DROP COLUMN retries_left, DROP COLUMN retry_delay_ms, DROP COLUMN sealed_for;
`);
  }
}
