import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Schedules1736000000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(up);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(down);
  }
}

// `worker_id` null is any worker. Workers and inputs may go while a schedule names them: its fires then say so.
// `triggered` and `counter` are written with the fires that they sum up, because fires are not kept for ever.
// Fires that were missed long ago have no month's partition; the one for all others takes them.
const up = `
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
CREATE TABLE schedule_fires_other PARTITION OF schedule_fires DEFAULT;
CREATE INDEX schedule_fires_queued ON schedule_fires (schedule_id, fire_at) WHERE outcome = 'queued';
-- Nearly all are fired.
CREATE INDEX schedule_fires_others ON schedule_fires (schedule_id, outcome, fire_at DESC) WHERE outcome <> 'fired';

ALTER TABLE live_runs ADD COLUMN schedule_id uuid;
CREATE INDEX live_runs_schedule ON live_runs (schedule_id) WHERE schedule_id IS NOT NULL;
CREATE INDEX executions_schedule ON executions (schedule_id, id DESC) WHERE schedule_id IS NOT NULL;
`;

const down = `
DROP INDEX executions_schedule;
ALTER TABLE live_runs DROP COLUMN schedule_id;
DROP TABLE schedule_fires, schedules;
`;
