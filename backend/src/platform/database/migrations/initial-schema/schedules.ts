/** Schedules and the record of their fires. */
export const schedules = `
-- worker_id null means any worker. Workers and inputs may be deleted while a schedule names them; its fires then say so.
-- triggered and counter summarise fires and are written with them, because fires are deleted after a while.
-- problem_told_at is when the owner last got an e-mail about the problem.
CREATE TABLE schedules (
  id uuid PRIMARY KEY,
  owner_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  name text NOT NULL,
  cron_span text NOT NULL,
  time_zone text NOT NULL,
  job_name text NOT NULL DEFAULT '',
  worker_id uuid,
  skript_id uuid NOT NULL REFERENCES skripts ON DELETE CASCADE,
  input_id uuid,
  input_secret_id uuid,
  overlap text NOT NULL CHECK (overlap IN ('skip', 'queue', 'allow')),
  catch_up text NOT NULL CHECK (catch_up IN ('skip', 'once', 'all')),
  retries integer,
  retry_delay_ms integer,
  enabled boolean NOT NULL,
  next_fire_at timestamptz,
  triggered timestamptz[] NOT NULL DEFAULT '{}',
  counter integer NOT NULL DEFAULT 0,
  problem_code text,
  problem text,
  problem_since timestamptz,
  problem_told_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (owner_id, name)
);
CREATE INDEX schedules_due ON schedules (next_fire_at) WHERE enabled;
CREATE INDEX schedules_list ON schedules (owner_id, created_at DESC, id DESC);
CREATE INDEX schedules_skript ON schedules (skript_id);

CREATE TABLE schedule_fires (
  id uuid NOT NULL,
  schedule_id uuid NOT NULL,
  fire_at timestamptz NOT NULL,
  outcome text NOT NULL CHECK (outcome IN ('queued', 'fired', 'skipped', 'missed')),
  manual boolean NOT NULL DEFAULT false,
  reason_code text,
  reason text,
  left_out integer NOT NULL DEFAULT 0,
  execution_id uuid,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (schedule_id, fire_at)
) PARTITION BY RANGE (fire_at);
-- Fires that were missed so long ago that their month has no partition.
CREATE TABLE schedule_fires_other PARTITION OF schedule_fires DEFAULT;
CREATE INDEX schedule_fires_queued ON schedule_fires (schedule_id, fire_at) WHERE outcome = 'queued';
-- Nearly all fires are 'fired', so an index of the others is small.
CREATE INDEX schedule_fires_others ON schedule_fires (schedule_id, outcome, fire_at DESC) WHERE outcome <> 'fired';
`;
