import type { MigrationInterface, QueryRunner } from 'typeorm';
import { accounts } from './initial-schema/accounts.js';
import { calls } from './initial-schema/calls.js';
import { executions } from './initial-schema/executions.js';
import { quotas } from './initial-schema/quotas.js';
import { schedules } from './initial-schema/schedules.js';
import { skripts } from './initial-schema/skripts.js';
import { storage } from './initial-schema/storage.js';
import { website } from './initial-schema/website.js';
import { workers } from './initial-schema/workers.js';

/** Creates the schema of version 0.1.0. A table is created after the tables that it refers to. */
export class InitialSchema1795262400000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    // Databases from before the first release already have this schema: older migrations, which this one replaces, have
    // created it.
    if (await queryRunner.hasTable('users')) return;
    for (const part of [accounts, website, calls, workers, skripts, storage, schedules, executions, quotas]) {
      await queryRunner.query(part);
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  }
}
