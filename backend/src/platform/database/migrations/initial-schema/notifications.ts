/**
 * Webhooks, their deliveries, and events that wait for e-mails. The function `record_events` writes the latter two in the
 * transaction of what they tell of.
 */
export const notifications = `
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

CREATE FUNCTION iso_time(at timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- The events that an account gets by e-mail.
CREATE FUNCTION email_events_of(account uuid) RETURNS text[] LANGUAGE sql STABLE AS $$
  SELECT COALESCE((SELECT email_events FROM notification_settings WHERE user_id = account), ARRAY['schedule.missed', 'schedule.problem', 'quota.warning'])
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

-- Every way in which a run ends deletes its row in live_runs, so the trigger misses none. It runs at the end of the
-- statement, which has then written the ending and a retry too. Most accounts want no events of runs; the first condition
-- keeps their runs cheap.
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
