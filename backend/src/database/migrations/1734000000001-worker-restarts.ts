import type { MigrationInterface, QueryRunner } from 'typeorm';

export class WorkerRestarts1734000000001 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(up);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(down);
  }
}

// A restart is asked of one boot of the worker; the next boot has done it, without another word.
const up = `
ALTER TABLE workers ADD COLUMN restart_boot_id uuid, ADD COLUMN restart_mode text CHECK (restart_mode IN ('drain', 'stop'));
`;

const down = `
ALTER TABLE workers DROP COLUMN restart_boot_id, DROP COLUMN restart_mode;
`;
