import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Assigns worker groups to users, with the workers that they have and get. */
export class GroupAssignments1795421100000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE worker_group_assignments (
        group_id uuid NOT NULL REFERENCES worker_groups ON DELETE CASCADE,
        user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
        created_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (group_id, user_id)
      );
      CREATE INDEX worker_group_assignments_of_user ON worker_group_assignments (user_id)`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE worker_group_assignments');
  }
}
