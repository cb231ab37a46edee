import type { MigrationInterface, QueryRunner } from 'typeorm';
import { accounts } from './initial-schema/accounts.js';
import { backends } from './initial-schema/backends.js';
import { calls } from './initial-schema/calls.js';
import { executions } from './initial-schema/executions.js';
import { jobs } from './initial-schema/jobs.js';
import { notifications } from './initial-schema/notifications.js';
import { quotas } from './initial-schema/quotas.js';
import { savedBytes } from './initial-schema/saved-bytes.js';
import { schedules } from './initial-schema/schedules.js';
import { skripts } from './initial-schema/skripts.js';
import { storage } from './initial-schema/storage.js';
import { website } from './initial-schema/website.js';
import { workers } from './initial-schema/workers.js';

/** In this order, because a table is created after the tables that it refers to. */
const PARTS = [
  accounts,
  website,
  calls,
  workers,
  skripts,
  storage,
  schedules,
  executions,
  backends,
  jobs,
  notifications,
  quotas,
  savedBytes,
];

/** Creates the schema of version 0.1.0. */
export class InitialSchema1795431000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const part of PARTS) await queryRunner.query(part);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  }
}
