import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How busy each worker was, every few minutes. */
export class WorkerSamples1795509000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE worker_samples (
        worker_id uuid NOT NULL REFERENCES workers ON DELETE CASCADE,
        at timestamptz NOT NULL,
        is_online boolean NOT NULL,
        runs integer NOT NULL,
        cpu real,
        memory real,
        PRIMARY KEY (worker_id, at))`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE worker_samples');
  }
}
