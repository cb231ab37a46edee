import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The versions of Node that run skripts on a worker; empty if it does not send them. */
export class NodeVersions1795447000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query("ALTER TABLE workers ADD COLUMN nodes text[] NOT NULL DEFAULT '{}'");
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE workers DROP COLUMN nodes');
  }
}
