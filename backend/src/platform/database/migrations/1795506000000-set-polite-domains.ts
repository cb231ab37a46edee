import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A domain has all settings or none, within the bounds of `POLITE_LIMITS`. */
export class SetPoliteDomains1795506000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE polite_domains
        ADD CHECK (requests_per_second BETWEEN 0.001 AND 1000),
        ADD CHECK (burst BETWEEN 1 AND 1000),
        ADD CONSTRAINT has_all_settings_or_none CHECK ((requests_per_second IS NULL) = (burst IS NULL))`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE polite_domains
        DROP CONSTRAINT polite_domains_requests_per_second_check,
        DROP CONSTRAINT polite_domains_burst_check,
        DROP CONSTRAINT has_all_settings_or_none`);
  }
}
