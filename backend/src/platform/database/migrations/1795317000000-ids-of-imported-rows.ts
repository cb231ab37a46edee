import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Rows that an import has moved keep their `_id` when the import is started again. */
export class IdsOfImportedRows1795317000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE imports ADD COLUMN id_prefix text');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE imports DROP COLUMN id_prefix');
  }
}
