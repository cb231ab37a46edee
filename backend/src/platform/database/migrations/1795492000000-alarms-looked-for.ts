import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When a backend last looked for alarms about rows that are due: after a longer time, the platform was down. One row. */
export class AlarmsLookedFor1795492000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE alarms_looked_for (is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only), at timestamptz NOT NULL);
      INSERT INTO alarms_looked_for (at) VALUES (now());`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE alarms_looked_for');
  }
}
