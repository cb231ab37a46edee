import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * How long a worker's event loop was blocked at most between its last two heartbeats, in ms. Null until the worker has
 * sent it.
 */
export class WorkerEventLoop1795443100000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE worker_leases ADD COLUMN event_loop_ms int');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE worker_leases DROP COLUMN event_loop_ms');
  }
}
