import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Groups of workers that share a key. Each process that connects with it is a worker of the group. */
export class WorkerGroups1795411100000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE worker_groups (
        id uuid PRIMARY KEY,
        name text NOT NULL CONSTRAINT worker_groups_name_key UNIQUE,
        public boolean NOT NULL DEFAULT false,
        key_hash bytea NOT NULL UNIQUE,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now()
      );
      ALTER TABLE workers ADD COLUMN group_id uuid REFERENCES worker_groups;
      CREATE INDEX workers_of_group ON workers (group_id) WHERE group_id IS NOT NULL`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE workers DROP COLUMN group_id; DROP TABLE worker_groups');
  }
}
