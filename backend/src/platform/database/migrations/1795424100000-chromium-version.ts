import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The version of a worker's Chromium; null if it has none, or does not send it. */
export class ChromiumVersion1795424100000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE workers ADD COLUMN chromium text');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE workers DROP COLUMN chromium');
  }
}
