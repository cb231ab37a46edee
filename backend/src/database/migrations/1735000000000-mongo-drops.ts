import type { MigrationInterface, QueryRunner } from 'typeorm';

export class MongoDrops1735000000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
CREATE TABLE mongo_drops (
  db_name text PRIMARY KEY,
  deleted_at timestamptz NOT NULL DEFAULT now()
)`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE mongo_drops');
  }
}
