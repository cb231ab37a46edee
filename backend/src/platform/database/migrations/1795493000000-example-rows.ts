import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Drops the examples of runs that wait for their verdict: they have another form now. */
export class ExampleRows1795493000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('UPDATE run_profiles SET examples = NULL WHERE examples IS NOT NULL');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await this.up(queryRunner);
  }
}
