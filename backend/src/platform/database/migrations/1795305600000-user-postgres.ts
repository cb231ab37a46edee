import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Names and sizes of the PostgreSQL databases of users. The databases themselves are on the users' server. */
export class UserPostgres1795305600000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE postgres_databases (
        owner_id uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
        name text NOT NULL UNIQUE,
        ready boolean NOT NULL DEFAULT false,
        bytes bigint NOT NULL DEFAULT 0,
        created_at timestamptz NOT NULL DEFAULT now()
      );
      -- Databases that must be dropped a second time: another backend may have created one after the first drop.
      CREATE TABLE postgres_drops (
        name text PRIMARY KEY,
        deleted_at timestamptz NOT NULL DEFAULT now()
      )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE postgres_drops, postgres_databases');
  }
}
