import type { MigrationInterface, QueryRunner } from 'typeorm';
import { changeQuotaUsed } from './1795490000000-site-sessions.js';

const WEBHOOKS = "WHEN 'webhooks' THEN";
const PROXIES = `WHEN 'proxies' THEN
      RETURN (SELECT count(*) FROM proxy_pools q WHERE q.owner_id = owner)
        + (SELECT count(*) FROM proxy_pools q JOIN proxies p ON p.pool_id = q.id WHERE q.owner_id = owner);
    `;

/** The quota of proxies and their pools. */
export class QuotaOfProxies1795507100000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await changeQuotaUsed(queryRunner, body => body.replace(WEBHOOKS, PROXIES + WEBHOOKS));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await changeQuotaUsed(queryRunner, body => body.replace(PROXIES, ''));
  }
}
