import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Returns the statement that creates the function again. `condition` is SQL on the webhook `w` and the event `e`. */
const recordEvents = (condition: string): string => `
  CREATE OR REPLACE FUNCTION record_events(owners uuid[], events text[], data json[]) RETURNS void LANGUAGE sql AS $$
    INSERT INTO webhook_deliveries (webhook_id, owner_id, event, payload)
    SELECT w.id, w.owner_id, e.event, json_build_object('type', e.event, 'timestamp', iso_time(now()), 'data', e.data)
    FROM unnest(owners, events, data) AS e(owner_id, event, data)
      JOIN webhook_endpoints w ON w.owner_id = e.owner_id AND w.enabled AND e.event = ANY(w.events) AND ${condition}
      JOIN users u ON u.id = e.owner_id AND u.disabled_at IS NULL;
    INSERT INTO notification_emails (owner_id, event, payload)
    SELECT e.owner_id, e.event, e.data
    FROM unnest(owners, events, data) AS e(owner_id, event, data)
      JOIN users u ON u.id = e.owner_id AND u.disabled_at IS NULL
    WHERE e.event = 'webhook.disabled' OR e.event = ANY(email_events_of(e.owner_id));
  $$;`;

/** A webhook may be for one skript. It is deleted with the skript. */
export class WebhooksOfSkripts1795463000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE webhook_endpoints ADD COLUMN skript_id uuid REFERENCES skripts ON DELETE CASCADE;
      CREATE INDEX webhook_endpoints_skript ON webhook_endpoints (skript_id) WHERE skript_id IS NOT NULL;
      ${recordEvents(`(w.skript_id IS NULL OR w.skript_id::text = e.data #>> '{skript,id}')`)}`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`${recordEvents('true')} ALTER TABLE webhook_endpoints DROP COLUMN skript_id;`);
  }
}
