import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tags and favourites among the skripts of an account, and the account's preferences for the panel. */
export class TagsAndPreferences1795467000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE skripts ADD COLUMN tags text[] NOT NULL DEFAULT '{}', ADD COLUMN favourite boolean NOT NULL DEFAULT false;
      ALTER TABLE users ADD COLUMN preferences jsonb NOT NULL DEFAULT '{}';`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE skripts DROP COLUMN tags, DROP COLUMN favourite;
      ALTER TABLE users DROP COLUMN preferences;`);
  }
}
