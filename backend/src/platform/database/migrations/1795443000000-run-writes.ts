import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a run has written, as its worker counted it. Null for runs that have written nothing, and for older ones. */
export class RunWrites1795443000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE executions ADD COLUMN writes json');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE executions DROP COLUMN writes');
  }
}
