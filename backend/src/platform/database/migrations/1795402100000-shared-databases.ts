import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Databases that an administrator shares with all accounts, for reading. */
export class SharedDatabases1795402100000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
ALTER TABLE mongo_databases ADD COLUMN shared boolean NOT NULL DEFAULT false;
-- A skript names a shared database without its owner.
CREATE UNIQUE INDEX mongo_databases_shared ON mongo_databases (name) WHERE shared;
`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE mongo_databases DROP COLUMN shared');
  }
}
