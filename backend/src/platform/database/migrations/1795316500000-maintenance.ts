import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The current or last maintenance. The table has at most one row. */
export class Maintenance1795316500000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE TABLE maintenance (
      is_single boolean PRIMARY KEY DEFAULT true CHECK (is_single),
      message text NOT NULL,
      until timestamptz,
      started_at timestamptz NOT NULL DEFAULT now()
    )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE maintenance');
  }
}
