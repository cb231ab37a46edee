import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The input that a start sent as a value, so that the run can be repeated. Saved inputs are not copied. */
export class InputValue1795317100000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE executions ADD COLUMN input_value json');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE executions DROP COLUMN input_value');
  }
}
