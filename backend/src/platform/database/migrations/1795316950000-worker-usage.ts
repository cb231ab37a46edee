import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How busy a worker's machine is, from its last heartbeat. Null until the worker has sent it. */
export class WorkerUsage1795316950000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'ALTER TABLE worker_leases ADD COLUMN cpu real, ADD COLUMN memory_used bigint, ADD COLUMN memory_total bigint',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'ALTER TABLE worker_leases DROP COLUMN cpu, DROP COLUMN memory_used, DROP COLUMN memory_total',
    );
  }
}
