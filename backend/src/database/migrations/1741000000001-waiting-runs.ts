import type { MigrationInterface, QueryRunner } from 'typeorm';

export class WaitingRuns1741000000001 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(up);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(down);
  }
}

// A run that no worker has says what it waits for, whatever a statement forgets.
const up = `
UPDATE live_runs SET waiting_reason = 'worker_offline', waiting_since = now()
  WHERE boot_id IS NULL AND waiting_reason IS NULL;
ALTER TABLE live_runs ADD CONSTRAINT live_runs_wait_for_something CHECK (boot_id IS NOT NULL OR waiting_reason IS NOT NULL),
  ADD CONSTRAINT live_runs_wait_since CHECK ((waiting_reason IS NULL) = (waiting_since IS NULL));
`;

const down = `
ALTER TABLE live_runs DROP CONSTRAINT live_runs_wait_for_something, DROP CONSTRAINT live_runs_wait_since;
`;
