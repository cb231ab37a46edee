import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Assignments of groups join those of workers. The view of the old name is for backends of the version before. */
export class OneTableOfAssignments1795458000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE worker_assignments DROP CONSTRAINT worker_assignments_pkey;
      ALTER TABLE worker_assignments ALTER COLUMN worker_id DROP NOT NULL,
        ADD COLUMN group_id uuid REFERENCES worker_groups ON DELETE CASCADE,
        ADD CONSTRAINT worker_assignments_of_one CHECK (num_nonnulls(worker_id, group_id) = 1),
        ADD CONSTRAINT worker_assignments_of_worker UNIQUE (worker_id, user_id),
        ADD CONSTRAINT worker_assignments_of_group UNIQUE (group_id, user_id);
      CREATE INDEX worker_assignments_of_user ON worker_assignments (user_id);
      INSERT INTO worker_assignments (group_id, user_id, created_at)
        SELECT group_id, user_id, created_at FROM worker_group_assignments;
      DROP TABLE worker_group_assignments;
      CREATE VIEW worker_group_assignments AS
        SELECT group_id, user_id, created_at FROM worker_assignments WHERE group_id IS NOT NULL`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP VIEW worker_group_assignments;
      CREATE TABLE worker_group_assignments (
        group_id uuid NOT NULL REFERENCES worker_groups ON DELETE CASCADE,
        user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
        created_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (group_id, user_id)
      );
      CREATE INDEX worker_group_assignments_of_user ON worker_group_assignments (user_id);
      INSERT INTO worker_group_assignments SELECT group_id, user_id, created_at FROM worker_assignments WHERE group_id IS NOT NULL;
      DELETE FROM worker_assignments WHERE group_id IS NOT NULL;
      ALTER TABLE worker_assignments DROP COLUMN group_id, DROP CONSTRAINT worker_assignments_of_worker;
      DROP INDEX worker_assignments_of_user;
      ALTER TABLE worker_assignments ADD PRIMARY KEY (worker_id, user_id)`);
  }
}
