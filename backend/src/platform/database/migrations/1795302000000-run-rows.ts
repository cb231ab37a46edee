import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Counts the rows that a run has stored, and queues the collections of deleted skripts that must be dropped. */
export class RunRows1795302000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE executions ADD COLUMN row_count integer NOT NULL DEFAULT 0;
      CREATE TABLE mongo_collection_drops (
        db_name text NOT NULL,
        collection text NOT NULL,
        deleted_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (db_name, collection)
      )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE mongo_collection_drops; ALTER TABLE executions DROP COLUMN row_count');
  }
}
