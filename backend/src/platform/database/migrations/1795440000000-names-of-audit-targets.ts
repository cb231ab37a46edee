import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The name of an audited resource when the entry was written. Null for older entries and resources without a name. */
export class NamesOfAuditTargets1795440000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE audit_log ADD COLUMN target_name text');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE audit_log DROP COLUMN target_name');
  }
}
