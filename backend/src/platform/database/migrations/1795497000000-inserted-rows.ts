import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Rows that recorded runs and replays insert with `mongo` and `postgres`, so that both can be compared. `n` is the number
 * of the call among those of its run. `data` has BSON documents one after another; it is null if there was no room for them.
 */
export class InsertedRows1795497000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
CREATE TABLE inserted_rows (
  execution_id uuid NOT NULL,
  target text NOT NULL,
  n bigint NOT NULL,
  owner_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  bytes integer NOT NULL,
  data bytea,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (execution_id, target, n)
);
CREATE INDEX inserted_rows_owner ON inserted_rows (owner_id) INCLUDE (bytes);
CREATE INDEX inserted_rows_age ON inserted_rows (created_at);`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE inserted_rows');
  }
}
