import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Bundles now contain the files that no import reaches. Lets the next start rebuild the bundles of skripts that may
 * have such files.
 */
export class RunFiles1795294800000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `UPDATE skripts s SET stale = true WHERE EXISTS (SELECT 1 FROM skript_files f
         WHERE f.skript_id = s.id AND f.name !~ '\\.[cm]?js$' AND f.name NOT IN ('package.json', 'howto.html', 'howto.md'))`,
    );
  }

  async down(): Promise<void> {
    // Older versions of Trawl ignore the files in a bundle.
  }
}
