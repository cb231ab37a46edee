import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The issue of a failed run, for e-mails. Its id is null until the run is counted. */
export class IssueOfRun1795465400000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE FUNCTION issue_of_run(run uuid) RETURNS json LANGUAGE sql STABLE AS $$
        SELECT json_build_object('id', f.issue_id, 'message', i.message, 'is_muted', i.status = 'muted')
        FROM failures f LEFT JOIN issues i ON i.id = f.issue_id WHERE f.execution_id = run
      $$`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP FUNCTION issue_of_run(uuid)');
  }
}
