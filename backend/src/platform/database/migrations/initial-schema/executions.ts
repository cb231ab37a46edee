/**
 * Executions, live runs and saved echoes. The tables of the history (executions, echo_chunks) have no foreign keys and
 * one partition per month, so that old history can be deleted by dropping a partition.
 */
export const executions = `
-- An execution outlives its skript and its worker, so it keeps their names. row_count is the number of rows that it stored.
-- started_at is when a worker took it. input_value is the input that the start sent as a value, so that the run can be
-- repeated; saved inputs are not copied.
CREATE TABLE executions (
  id uuid NOT NULL,
  owner_id uuid NOT NULL,
  worker_id uuid,
  worker_name text,
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
  row_count integer NOT NULL DEFAULT 0,
  started_at timestamptz,
  input_value json,
  PRIMARY KEY (id)
) PARTITION BY RANGE (id);
CREATE INDEX executions_owner ON executions (owner_id, id DESC);
CREATE INDEX executions_skript ON executions (owner_id, skript_id, id DESC);
CREATE INDEX executions_worker ON executions (owner_id, worker_id, id DESC);
CREATE INDEX executions_action ON executions (owner_id, action, id DESC);
CREATE INDEX executions_retry ON executions (owner_id, retry_of, id DESC) WHERE retry_of IS NOT NULL;
CREATE INDEX executions_schedule ON executions (schedule_id, id DESC) WHERE schedule_id IS NOT NULL;

-- A row exists as long as the execution is live. Deleting the row ends the run.
-- cmd_seq numbers the last command that was given, cmd_done the last that the worker carried out.
-- answers holds answers to questions of the run until its worker has them; null for nearly all runs. refusal is the reason
-- why the worker refused the last command.
-- payload holds the encrypted input and secret. sealed_for is the execution whose id authenticates them: the first of a
-- chain of retries, or null for the row's own.
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
  cmd_done integer NOT NULL DEFAULT 0,
  time_limit_ms integer NOT NULL,
  waiting_reason text,
  waiting_since timestamptz,
  run_after timestamptz,
  retries_left integer NOT NULL DEFAULT 0,
  retry_delay_ms integer NOT NULL DEFAULT 0,
  schedule_id uuid,
  payload bytea NOT NULL,
  sealed_for uuid,
  answers jsonb,
  refusal text,
  -- A run that no worker has must say what it waits for, whatever a statement forgets.
  CONSTRAINT live_runs_wait_for_something CHECK (boot_id IS NOT NULL OR waiting_reason IS NOT NULL),
  CONSTRAINT live_runs_wait_since CHECK ((waiting_reason IS NULL) = (waiting_since IS NULL))
);
CREATE UNIQUE INDEX live_runs_one_unforced ON live_runs (live_key) WHERE NOT forced;
CREATE INDEX live_runs_key ON live_runs (live_key);
CREATE INDEX live_runs_worker ON live_runs (worker_id, execution_id);
-- Finds the running runs of an account, and its waiting ones in their order.
CREATE INDEX live_runs_turns ON live_runs (owner_id, boot_id, execution_id);
CREATE INDEX live_runs_schedule ON live_runs (schedule_id) WHERE schedule_id IS NOT NULL;

-- Idempotency keys of starts: a repeated start joins this execution.
CREATE TABLE start_keys (
  owner_id uuid NOT NULL,
  key text NOT NULL,
  request bytea NOT NULL,
  execution_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (owner_id, key)
);
CREATE INDEX start_keys_age ON start_keys (created_at);

-- The bytes of a chunk are either in gz, or in the object of the object store with the key object_key. is_dropped marks a
-- row that stands for a chunk above the quota.
CREATE TABLE echo_chunks (
  execution_id uuid NOT NULL,
  n integer NOT NULL,
  from_seq integer NOT NULL,
  to_seq integer NOT NULL,
  gz bytea,
  is_dropped boolean NOT NULL DEFAULT false,
  object_key text,
  object_sha256 bytea,
  object_bytes integer,
  PRIMARY KEY (execution_id, n)
) PARTITION BY RANGE (execution_id);
-- The chunks are gzipped already.
ALTER TABLE echo_chunks ALTER COLUMN gz SET STORAGE EXTERNAL;

-- Objects of deleted chunks; and objects that are being uploaded, until the row of their chunk is saved. If a backend
-- crashes between the upload and the row, the object is therefore deleted later.
CREATE TABLE object_deletions (key text PRIMARY KEY, delete_after timestamptz NOT NULL DEFAULT now());
CREATE INDEX object_deletions_due ON object_deletions (delete_after);

CREATE FUNCTION delete_objects_of_chunks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO object_deletions (key) SELECT object_key FROM deleted WHERE object_key IS NOT NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER delete_objects_of_chunks AFTER DELETE ON echo_chunks REFERENCING OLD TABLE AS deleted
  FOR EACH STATEMENT EXECUTE FUNCTION delete_objects_of_chunks();
`;
