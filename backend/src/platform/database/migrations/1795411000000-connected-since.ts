import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When the process that has a lease first connected. The refusal of a second process names this time. */
export class ConnectedSince1795411000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE worker_leases ADD COLUMN connected_at timestamptz NOT NULL DEFAULT now()');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE worker_leases DROP COLUMN connected_at');
  }
}
