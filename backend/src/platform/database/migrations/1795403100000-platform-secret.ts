import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A digest of TRAWL_SECRET, in one row, so that a backend with another secret refuses to start. */
export class PlatformSecret1795403100000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'CREATE TABLE platform_secret (is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only), digest bytea NOT NULL)',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE platform_secret');
  }
}
