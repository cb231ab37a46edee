import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The table in the PostgreSQL of users into which an import goes; null for one that goes into a collection. */
export class ImportsIntoTables1795450000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE imports ADD COLUMN table_schema text, ADD COLUMN table_name text');
    // An import into a table has no staging collection, but a transaction whose outcome must be found out.
    await queryRunner.query('DROP INDEX imports_staging');
    await queryRunner.query(
      'CREATE INDEX imports_unfinished ON imports (id) WHERE staging IS NOT NULL OR move IS NOT NULL',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX imports_unfinished');
    await queryRunner.query('CREATE INDEX imports_staging ON imports (id) WHERE staging IS NOT NULL');
    await queryRunner.query('ALTER TABLE imports DROP COLUMN table_schema, DROP COLUMN table_name');
  }
}
