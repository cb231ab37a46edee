/** Work that outlives a request: exports, exporters and imports. */
export const jobs = `
CREATE TABLE jobs (
  id uuid PRIMARY KEY,
  owner_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  kind text NOT NULL,
  params json NOT NULL,
  state text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'running', 'done', 'failed', 'cancelled')),
  progress json NOT NULL DEFAULT '{}',
  result json,
  error_code text,
  error_message text,
  -- Number of times that a backend took the job. It fences off backends that lost their lease.
  attempt integer NOT NULL DEFAULT 0,
  cancel_requested boolean NOT NULL DEFAULT false,
  lease_until timestamptz,
  started_at timestamptz,
  ended_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX jobs_list ON jobs (owner_id, kind, created_at DESC, id DESC);
CREATE INDEX jobs_open ON jobs (owner_id) WHERE ended_at IS NULL;
CREATE INDEX jobs_ended ON jobs (ended_at) WHERE ended_at IS NOT NULL;

-- Saved exports that repeat. planned_at is the time at which next_at was computed; if it is in the future, the clock was
-- ahead.
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
  planned_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT exporters_name UNIQUE (owner_id, name)
);
CREATE INDEX exporters_due ON exporters (next_at) WHERE enabled AND next_at IS NOT NULL;
CREATE INDEX exporters_skript ON exporters (skript_id) WHERE skript_id IS NOT NULL;

-- Ended runs after which an exporter must export. No foreign keys, so that ending a run locks no exporter.
CREATE TABLE exporter_runs (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  exporter_id uuid NOT NULL,
  execution_id uuid NOT NULL,
  due_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX exporter_runs_exporter ON exporter_runs (exporter_id, id);
CREATE INDEX exporter_runs_due ON exporter_runs (due_at);

CREATE FUNCTION record_exports_of_runs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Keeps the ends of runs cheap while no exporter waits for any.
  IF EXISTS (SELECT FROM exporters WHERE skript_id IS NOT NULL AND enabled) THEN
    INSERT INTO exporter_runs (exporter_id, execution_id)
    SELECT e.id, x.id FROM ended JOIN executions x ON x.id = ended.execution_id
      JOIN exporters e ON e.skript_id = x.skript_id AND e.owner_id = x.owner_id
    WHERE e.enabled;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER live_runs_exported AFTER DELETE ON live_runs REFERENCING OLD TABLE AS ended
  FOR EACH STATEMENT EXECUTE FUNCTION record_exports_of_runs();

-- Uploaded files, and the rows of them that could not be imported. id_prefix: rows that an import has moved keep their _id
-- when the import is started again.
CREATE TABLE imports (
  id uuid PRIMARY KEY,
  owner_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  name text NOT NULL,
  bytes bigint NOT NULL DEFAULT 0,
  -- Bytes of the chunks that are still kept.
  kept_bytes bigint NOT NULL DEFAULT 0,
  -- Null until the whole file is here.
  encoding text,
  job_id uuid REFERENCES jobs ON DELETE SET NULL,
  -- What the last start asked for.
  db_id uuid,
  collection text,
  format text,
  bad_rows integer NOT NULL DEFAULT 0,
  -- The collection that holds the rows until they are moved, and its database in MongoDB. Set before it is created and
  -- cleared after it is gone.
  staging_db text,
  staging text,
  -- How to move the rows, and up to which row they are moved. Once it is set, the import always finishes.
  move json,
  moved_to integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  id_prefix text
);
CREATE INDEX imports_list ON imports (owner_id, created_at DESC, id DESC);
CREATE INDEX imports_job ON imports (job_id);
CREATE INDEX imports_staging ON imports (id) WHERE staging IS NOT NULL;

CREATE TABLE import_chunks (
  import_id uuid NOT NULL REFERENCES imports ON DELETE CASCADE,
  part text NOT NULL CHECK (part IN ('source', 'bad_rows')),
  n integer NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (import_id, part, n)
);
-- Without compression, which would cost more time than the disk.
ALTER TABLE import_chunks ALTER COLUMN bytes SET STORAGE EXTERNAL;
`;
