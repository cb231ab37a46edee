import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ScheduleProblems1741000000002 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(up);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(down);
  }
}

// `problem_told_at` is when its owner had the last e-mail about it.
const up = `
ALTER TABLE schedules ADD COLUMN problem_code text, ADD COLUMN problem text, ADD COLUMN problem_since timestamptz,
  ADD COLUMN problem_told_at timestamptz;
ALTER TABLE outgoing_mails DROP CONSTRAINT outgoing_mails_kind_check, ADD CONSTRAINT outgoing_mails_kind_check CHECK
  (kind IN ('activation', 'password_reset', 'account_exists', 'contact', 'worker_wanted', 'schedule_problem'));
`;

const down = `
DELETE FROM outgoing_mails WHERE kind = 'schedule_problem';
ALTER TABLE outgoing_mails DROP CONSTRAINT outgoing_mails_kind_check, ADD CONSTRAINT outgoing_mails_kind_check CHECK
  (kind IN ('activation', 'password_reset', 'account_exists', 'contact', 'worker_wanted'));
ALTER TABLE schedules DROP COLUMN problem_code, DROP COLUMN problem, DROP COLUMN problem_since, DROP COLUMN problem_told_at;
`;
