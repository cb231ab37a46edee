import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Records which bundles require a library that needs a browser, for example Puppeteer. */
export class BundlesNeedBrowser1795287600000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE bundles ADD COLUMN needs_browser boolean NOT NULL DEFAULT false');
    // Bundles of version 0.1.0 can require only these two libraries. esbuild writes each import with double quotes.
    await queryRunner.query(
      `UPDATE bundles SET needs_browser = true
       WHERE code LIKE '%("puppeteer")%' OR code LIKE '%("puppeteer-core")%'`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE bundles DROP COLUMN needs_browser');
  }
}
