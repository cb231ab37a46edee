import type { MigrationInterface, QueryRunner } from 'typeorm';

export class First1700000000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(up);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(down);
  }
}

// History (executions, echo_chunks) has no foreign keys and is partitioned by month, so that keeping it short is
// dropping a table. Values that come from users are `json`, not `jsonb`: jsonb refuses \u0000 and lone surrogates,
// which scraped pages contain.
const up = `
CREATE TABLE users (
  id uuid PRIMARY KEY,
  username text NOT NULL UNIQUE,
  password_hash text NOT NULL,
  role text NOT NULL CHECK (role IN ('developer', 'admin')),
  built_in boolean NOT NULL DEFAULT false,
  disabled_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE sessions (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expiry ON sessions (expires_at);

CREATE TABLE workers (
  id uuid PRIMARY KEY,
  name text NOT NULL UNIQUE,
  public boolean NOT NULL DEFAULT false,
  key_hash bytea NOT NULL UNIQUE,
  ip_address text,
  version text,
  environments text[] NOT NULL DEFAULT '{}',
  sandbox text,
  slots integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE worker_assignments (
  worker_id uuid NOT NULL REFERENCES workers ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (worker_id, user_id)
);

CREATE TABLE worker_leases (
  worker_id uuid PRIMARY KEY REFERENCES workers ON DELETE CASCADE,
  epoch bigint NOT NULL DEFAULT 0,
  boot_id uuid NOT NULL,
  replica_id uuid,
  lease_until timestamptz NOT NULL,
  free_slots integer NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE bundles (
  hash text PRIMARY KEY,
  code text NOT NULL,
  files json NOT NULL,
  size integer NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE skripts (
  id uuid PRIMARY KEY,
  owner_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  title text NOT NULL,
  description text NOT NULL DEFAULT '',
  thumbnail text NOT NULL DEFAULT '',
  category text NOT NULL DEFAULT 'general',
  environment text NOT NULL DEFAULT 'nodejs' CHECK (environment IN ('nodejs', 'browser', 'python')),
  worker_response_timeout integer NOT NULL DEFAULT 180000,
  bundle_hash text REFERENCES bundles,
  stale boolean NOT NULL DEFAULT true,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (owner_id, title)
);
CREATE INDEX skripts_list ON skripts (owner_id, created_at DESC, id DESC);

CREATE TABLE skript_bundles (
  skript_id uuid NOT NULL REFERENCES skripts ON DELETE CASCADE,
  hash text NOT NULL REFERENCES bundles,
  built_by uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (skript_id, hash)
);

CREATE TABLE skript_files (
  id uuid PRIMARY KEY,
  skript_id uuid NOT NULL REFERENCES skripts ON DELETE CASCADE,
  name text NOT NULL,
  content text NOT NULL,
  size integer NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX skript_files_name ON skript_files (skript_id, lower(name));

CREATE TABLE inputs (
  id uuid PRIMARY KEY,
  skript_id uuid NOT NULL REFERENCES skripts ON DELETE CASCADE,
  name text NOT NULL,
  val json NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (skript_id, name)
);

CREATE TABLE input_secrets (
  id uuid PRIMARY KEY,
  skript_id uuid NOT NULL REFERENCES skripts ON DELETE CASCADE,
  name text NOT NULL,
  val_sealed bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (skript_id, name)
);

CREATE TABLE executions (
  id uuid NOT NULL,
  owner_id uuid NOT NULL,
  worker_id uuid,
  skript_id uuid NOT NULL,
  skript_name text NOT NULL,
  skript_category text NOT NULL,
  bundle_hash text NOT NULL,
  input_id uuid,
  input_name text,
  input_secret_id uuid,
  input_secret_name text,
  action text NOT NULL CHECK (action IN ('start', 'pause', 'stop', 'end', 'error')),
  error_code text,
  error_stack text,
  output json,
  late_result json,
  retry_of uuid,
  attempt integer NOT NULL DEFAULT 1,
  schedule_id uuid,
  last_seq integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (id)
) PARTITION BY RANGE (id);
CREATE INDEX executions_owner ON executions (owner_id, id DESC);
CREATE INDEX executions_skript ON executions (owner_id, skript_id, id DESC);
CREATE INDEX executions_worker ON executions (owner_id, worker_id, id DESC);
CREATE INDEX executions_action ON executions (owner_id, action, id DESC);

CREATE TABLE live_runs (
  execution_id uuid PRIMARY KEY,
  owner_id uuid NOT NULL,
  worker_id uuid,
  on_any boolean NOT NULL,
  environment text NOT NULL,
  boot_id uuid,
  epoch bigint,
  live_key bytea NOT NULL,
  forced boolean NOT NULL,
  want text,
  cmd_seq integer NOT NULL DEFAULT 0,
  time_limit_ms integer NOT NULL,
  waiting_reason text,
  waiting_since timestamptz,
  run_after timestamptz,
  payload bytea NOT NULL
);
CREATE UNIQUE INDEX live_runs_one_unforced ON live_runs (live_key) WHERE NOT forced;
CREATE INDEX live_runs_key ON live_runs (live_key);
CREATE INDEX live_runs_worker ON live_runs (worker_id, execution_id);

CREATE TABLE start_keys (
  owner_id uuid NOT NULL,
  key text NOT NULL,
  request bytea NOT NULL,
  execution_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (owner_id, key)
);

CREATE TABLE echo_chunks (
  execution_id uuid NOT NULL,
  n integer NOT NULL,
  from_seq integer NOT NULL,
  to_seq integer NOT NULL,
  gz bytea NOT NULL,
  PRIMARY KEY (execution_id, n)
) PARTITION BY RANGE (execution_id);
ALTER TABLE echo_chunks ALTER COLUMN gz SET STORAGE EXTERNAL;

CREATE TABLE mongo_databases (
  id uuid PRIMARY KEY,
  owner_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  name text NOT NULL,
  db_name text NOT NULL UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (owner_id, name)
);
`;

const down = `
DROP TABLE mongo_databases, echo_chunks, start_keys, live_runs, executions, input_secrets, inputs, skript_files,
  skript_bundles, skripts, bundles, worker_leases, worker_assignments, workers, sessions, users;
`;
