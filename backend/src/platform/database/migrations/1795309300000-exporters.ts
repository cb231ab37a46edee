import type { MigrationInterface, QueryRunner } from 'typeorm';

const KINDS = ['activation', 'password_reset', 'account_exists', 'contact', 'worker_wanted', 'schedule_problem'];
const kindIn = (kinds: string[]) => `CHECK (kind IN (${kinds.map(kind => `'${kind}'`).join(', ')}))`;

/** Saved exports that repeat, and e-mails about finished ones. */
export class Exporters1795309300000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
CREATE TABLE exporters (
  id uuid PRIMARY KEY,
  owner_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  name text NOT NULL,
  params json NOT NULL,
  only_new boolean NOT NULL,
  -- The exporter runs at these times, or after each run of the skript, or only by hand.
  cron_span text,
  time_zone text NOT NULL DEFAULT 'UTC',
  skript_id uuid REFERENCES skripts ON DELETE CASCADE,
  enabled boolean NOT NULL,
  next_at timestamptz,
  -- Documents up to this time are in an export that is done.
  exported_until timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT exporters_name UNIQUE (owner_id, name)
);
CREATE INDEX exporters_due ON exporters (next_at) WHERE enabled AND next_at IS NOT NULL;
CREATE INDEX exporters_skript ON exporters (skript_id) WHERE skript_id IS NOT NULL;
ALTER TABLE outgoing_mails DROP CONSTRAINT outgoing_mails_kind_check;
ALTER TABLE outgoing_mails ADD CONSTRAINT outgoing_mails_kind_check ${kindIn([...KINDS, 'notification'])};
`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
DROP TABLE exporters;
DELETE FROM outgoing_mails WHERE kind = 'notification';
ALTER TABLE outgoing_mails DROP CONSTRAINT outgoing_mails_kind_check;
ALTER TABLE outgoing_mails ADD CONSTRAINT outgoing_mails_kind_check ${kindIn(KINDS)};
`);
  }
}
