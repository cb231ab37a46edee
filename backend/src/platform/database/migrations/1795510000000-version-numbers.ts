import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Numbers the versions of each skript: 1, 2, 3, in the order in which they were first built. `last_version` is the highest
 * number so far, so that no number is used again after its version was deleted. A backend of the previous version stores
 * versions without a number; they get one when they are built again.
 */
export class VersionNumbers1795510000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE skript_bundles ADD COLUMN number integer;
      ALTER TABLE skripts ADD COLUMN last_version integer NOT NULL DEFAULT 0;
      UPDATE skript_bundles v SET number = numbered.n FROM (
        SELECT skript_id, hash, row_number() OVER (PARTITION BY skript_id ORDER BY created_at, hash) AS n
        FROM skript_bundles) numbered
      WHERE v.skript_id = numbered.skript_id AND v.hash = numbered.hash;
      UPDATE skripts s SET last_version = numbered.n FROM (
        SELECT skript_id, max(number) AS n FROM skript_bundles GROUP BY skript_id) numbered
      WHERE s.id = numbered.skript_id`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'ALTER TABLE skript_bundles DROP COLUMN number; ALTER TABLE skripts DROP COLUMN last_version',
    );
  }
}
