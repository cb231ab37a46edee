import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When `trawl-admin backup` last wrote a backup: at most one row. */
export class LastBackup1795463100000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE last_backup (
        is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
        made_at timestamptz NOT NULL
      )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE last_backup');
  }
}
