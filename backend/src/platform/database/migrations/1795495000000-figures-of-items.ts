import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Figures of the numbers in all items of a skript after a run was merged, by field. Null for runs that were merged before. */
export class FiguresOfItems1795495000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE run_merges ADD COLUMN figures json');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE run_merges DROP COLUMN figures');
  }
}
