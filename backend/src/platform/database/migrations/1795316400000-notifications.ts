import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Webhooks with a quota, their deliveries, and events that wait for e-mails. The function `record_events` writes the latter two in
 * the transaction of what they tell of.
 */
export class Notifications1795316400000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(TABLES);
    await queryRunner.query(FUNCTIONS);
    await queryRunner.query(quotaUsed(WEBHOOKS));
    await queryRunner.query(ENDED_RUNS);
    await queryRunner.query(LOST_WORKERS);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(quotaUsed(''));
    await queryRunner.query('ALTER TABLE worker_leases DROP COLUMN lost_at');
    await queryRunner.query('DROP TRIGGER live_runs_ended ON live_runs');
    await queryRunner.query(
      'DROP FUNCTION record_ended_runs(), record_events(uuid[], text[], json[]), email_events_of(uuid), iso_time(timestamptz)',
    );
    await queryRunner.query(
      'DROP TABLE webhook_deliveries, webhook_endpoints, notification_settings, notification_emails',
    );
  }
}

const TABLES = `
-- secret and previous_secret are encrypted. Deliveries are signed with both until previous_secret_until.
-- failing_since and failures count since the last successful delivery.
CREATE TABLE webhook_endpoints (
  id uuid PRIMARY KEY,
  owner_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  name text NOT NULL,
  url text NOT NULL,
  events text[] NOT NULL,
  enabled boolean NOT NULL DEFAULT true,
  disabled_reason text,
  secret bytea NOT NULL,
  previous_secret bytea,
  previous_secret_until timestamptz,
  failing_since timestamptz,
  failures integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT webhook_endpoints_name UNIQUE (owner_id, name)
);

-- One message to one endpoint. No foreign key: deliveries of a deleted endpoint are removed in small steps.
CREATE TABLE webhook_deliveries (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  webhook_id uuid NOT NULL,
  owner_id uuid NOT NULL,
  event text NOT NULL,
  payload json NOT NULL,
  state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed')),
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz DEFAULT now(),
  response_status integer,
  response_body text,
  duration_ms integer,
  error text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CHECK ((state = 'pending') = (next_attempt_at IS NOT NULL))
);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_attempt_at) WHERE state = 'pending';
CREATE INDEX webhook_deliveries_list ON webhook_deliveries (webhook_id, created_at DESC, id DESC);
CREATE INDEX webhook_deliveries_age ON webhook_deliveries (created_at);

-- email_events is null for the default. mailed_at: when the account last got an e-mail with notifications.
CREATE TABLE notification_settings (
  user_id uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  email_events text[],
  mailed_at timestamptz
);

-- Events that wait for the next e-mail to their account. No foreign key, so that ending a run locks no account.
CREATE TABLE notification_emails (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  owner_id uuid NOT NULL,
  event text NOT NULL,
  payload json NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX notification_emails_owner ON notification_emails (owner_id);
`;

const FUNCTIONS = `
CREATE FUNCTION iso_time(at timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

CREATE FUNCTION email_events_of(account uuid) RETURNS text[] LANGUAGE sql STABLE AS $$
  SELECT COALESCE((SELECT email_events FROM notification_settings WHERE user_id = account),
    ARRAY['schedule.missed', 'schedule.problem'])
$$;

CREATE FUNCTION record_events(owners uuid[], events text[], data json[]) RETURNS void LANGUAGE sql AS $$
  INSERT INTO webhook_deliveries (webhook_id, owner_id, event, payload)
  SELECT w.id, w.owner_id, e.event, json_build_object('type', e.event, 'timestamp', iso_time(now()), 'data', e.data)
  FROM unnest(owners, events, data) AS e(owner_id, event, data)
    JOIN webhook_endpoints w ON w.owner_id = e.owner_id AND w.enabled AND e.event = ANY(w.events)
    JOIN users u ON u.id = e.owner_id AND u.disabled_at IS NULL;
  INSERT INTO notification_emails (owner_id, event, payload)
  SELECT e.owner_id, e.event, e.data
  FROM unnest(owners, events, data) AS e(owner_id, event, data)
    JOIN users u ON u.id = e.owner_id AND u.disabled_at IS NULL
  WHERE e.event = 'webhook.disabled' OR e.event = ANY(email_events_of(e.owner_id));
$$;
`;

/**
 * Every way in which a run ends deletes its row in `live_runs`, so the trigger misses none. It runs at the end of the
 * statement, which has then written the ending and a retry too. Most accounts want no events of runs; the first
 * condition keeps their runs cheap.
 */
const ENDED_RUNS = `
CREATE FUNCTION record_ended_runs() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  types text[] := ARRAY['run.completed', 'run.failed', 'run.stopped'];
BEGIN
  IF EXISTS (SELECT FROM ended JOIN webhook_endpoints w ON w.owner_id = ended.owner_id WHERE w.enabled AND w.events && types)
     OR EXISTS (SELECT FROM ended JOIN notification_settings s ON s.user_id = ended.owner_id WHERE s.email_events && types) THEN
    PERFORM record_events(array_agg(e.owner_id),
      array_agg('run.' || CASE e.action WHEN 'end' THEN 'completed' WHEN 'stop' THEN 'stopped' ELSE 'failed' END),
      array_agg(json_build_object(
        'execution_id', e.id,
        'skript', json_build_object('id', e.skript_id, 'name', e.skript_name),
        'worker', CASE WHEN e.worker_id IS NOT NULL THEN json_build_object('id', e.worker_id, 'name', e.worker_name) END,
        'schedule_id', e.schedule_id,
        'action', e.action,
        'error_code', e.error_code,
        'error_message', left(split_part(e.error_stack, E'\\n', 1), 300),
        'attempt', e.attempt,
        'started_at', iso_time(e.created_at),
        'ended_at', iso_time(e.updated_at))))
    FROM ended JOIN executions e ON e.id = ended.execution_id
    WHERE e.action IN ('end', 'stop', 'error') AND NOT EXISTS (
      SELECT FROM executions n
      WHERE n.owner_id = e.owner_id AND n.retry_of = COALESCE(e.retry_of, e.id) AND n.attempt > e.attempt);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER live_runs_ended AFTER DELETE ON live_runs REFERENCING OLD TABLE AS ended
  FOR EACH STATEMENT EXECUTE FUNCTION record_ended_runs();
`;

/** lost_at: when the worker's loss was recorded; null from its next connection on. */
const LOST_WORKERS = `
ALTER TABLE worker_leases ADD COLUMN lost_at timestamptz;
UPDATE worker_leases SET lost_at = now();
`;

/** The function that counts what an account has. `more` are further branches. */
export const quotaUsed = (more: string): string => `
CREATE OR REPLACE FUNCTION quota_used(owner uuid, quota text) RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  CASE quota
    WHEN 'skripts' THEN RETURN (SELECT count(*) FROM skripts s WHERE s.owner_id = owner);
    WHEN 'file_bytes' THEN
      RETURN (SELECT coalesce(sum(f.size), 0) FROM skripts s JOIN skript_files f ON f.skript_id = s.id WHERE s.owner_id = owner);
    WHEN 'inputs' THEN
      RETURN (SELECT count(*) FROM skripts s JOIN inputs i ON i.skript_id = s.id WHERE s.owner_id = owner)
        + (SELECT count(*) FROM skripts s JOIN input_secrets i ON i.skript_id = s.id WHERE s.owner_id = owner);
    WHEN 'runs_at_once' THEN RETURN (SELECT count(*) FROM live_runs r WHERE r.owner_id = owner);
    -- Unlimited accounts have no row in daily_runs. Retries count as part of the start that they repeat.
    WHEN 'runs_per_day' THEN
      RETURN coalesce((SELECT d.runs FROM daily_runs d WHERE d.owner_id = owner AND d.day = utc_today()),
        (SELECT count(*) FROM (SELECT 1 FROM executions e WHERE e.owner_id = owner AND e.retry_of IS NULL
           AND e.id >= first_id_at(utc_today()::timestamp AT TIME ZONE 'UTC') LIMIT 10000) started));
    WHEN 'storage_bytes' THEN RETURN coalesce((SELECT u.bytes FROM storage_usage u WHERE u.owner_id = owner), 0);
    WHEN 'databases' THEN RETURN (SELECT count(*) FROM mongo_databases d WHERE d.owner_id = owner);
    WHEN 'api_keys' THEN RETURN (SELECT count(*) FROM api_keys k WHERE k.user_id = owner AND k.revoked_at IS NULL
      AND (k.expires_at IS NULL OR k.expires_at > now()));
    WHEN 'schedules' THEN RETURN (SELECT count(*) FROM schedules s WHERE s.owner_id = owner);${more}
  END CASE;
END $$;
`;

export const WEBHOOKS = `
    WHEN 'webhooks' THEN RETURN (SELECT count(*) FROM webhook_endpoints w WHERE w.owner_id = owner);`;
