import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Indexes to find runs by the level of their verdict, and the broken runs of a skript. */
export class VerdictsInLists1795473000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE INDEX run_profiles_level ON run_profiles ((verdict->>'level'), execution_id);
      CREATE INDEX run_profiles_broken ON run_profiles (skript_id, execution_id DESC) WHERE NOT is_good;`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX run_profiles_level, run_profiles_broken');
  }
}
