import type { MigrationInterface, QueryRunner } from 'typeorm';
import { FIELDS, manifestTrigger } from './1795468000000-row-contracts.js';

const MANIFEST = [...FIELDS, 'rows', 'keep_exchanges'];

/**
 * Pools of proxies, which the runs of an account share. `address` is the URL of a proxy without user name and password. Its
 * health is measured by use: `rests` counts the rests since its last success, and `proxy_use` is what a run did with proxies.
 */
export class Proxies1795507000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE proxy_pools (
        id uuid PRIMARY KEY,
        owner_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
        name text NOT NULL,
        is_sticky boolean NOT NULL DEFAULT false,
        price_per_gb double precision,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        UNIQUE (owner_id, name)
      );
      CREATE TABLE proxies (
        id uuid PRIMARY KEY,
        pool_id uuid NOT NULL REFERENCES proxy_pools ON DELETE CASCADE,
        url_sealed bytea NOT NULL,
        address text NOT NULL,
        country text,
        tier smallint NOT NULL DEFAULT 1,
        failures_in_row integer NOT NULL DEFAULT 0,
        rests integer NOT NULL DEFAULT 0,
        rests_until timestamptz,
        last_used_at timestamptz,
        connections bigint NOT NULL DEFAULT 0,
        failures bigint NOT NULL DEFAULT 0,
        bytes_sent bigint NOT NULL DEFAULT 0,
        bytes_received bigint NOT NULL DEFAULT 0,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now()
      ) WITH (fillfactor = 70);
      CREATE INDEX proxies_pool ON proxies (pool_id, tier);
      ALTER TABLE executions ADD COLUMN proxy_use jsonb;
      ALTER TABLE skripts ADD COLUMN proxy text;
      ${manifestTrigger([...MANIFEST, 'polite', 'proxy'])}`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`${manifestTrigger(MANIFEST)}
      ALTER TABLE skripts DROP COLUMN proxy;
      ALTER TABLE executions DROP COLUMN proxy_use;
      DROP TABLE proxies, proxy_pools;`);
  }
}
