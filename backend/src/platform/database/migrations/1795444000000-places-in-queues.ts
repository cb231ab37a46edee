import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The place of a run in the queue that it waits in, and the length of this queue; null if it waits in none. */
export class PlacesInQueues1795444000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE live_runs ADD COLUMN waiting_place integer, ADD COLUMN waiting_of integer');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE live_runs DROP COLUMN waiting_place, DROP COLUMN waiting_of');
  }
}
