import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Number of rows that a run has stored outside its dataset, which are in `writes` too. It is null if the run has written
 * nothing, and for runs that ended earlier.
 */
export class OtherRows1795473200000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE executions ADD COLUMN other_rows bigint');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE executions DROP COLUMN other_rows');
  }
}
