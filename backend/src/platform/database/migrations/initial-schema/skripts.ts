/** Skripts with their files, inputs and bundles. */
export const skripts = `
-- The npm lock of a skript's libraries, shared by every bundle that resolved to it.
CREATE TABLE locks (hash text PRIMARY KEY, lock text NOT NULL, created_at timestamptz NOT NULL DEFAULT now());

CREATE TABLE bundles (
  hash text PRIMARY KEY,
  code text NOT NULL,
  files json NOT NULL,
  size integer NOT NULL,
  lock_hash text REFERENCES locks,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX bundles_lock ON bundles (lock_hash) WHERE lock_hash IS NOT NULL;

CREATE TABLE skripts (
  id uuid PRIMARY KEY,
  owner_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  title text NOT NULL,
  description text NOT NULL DEFAULT '',
  thumbnail text NOT NULL DEFAULT '',
  category text NOT NULL DEFAULT 'general',
  environment text NOT NULL DEFAULT 'nodejs' CHECK (environment IN ('nodejs', 'browser', 'python')),
  worker_response_timeout integer NOT NULL DEFAULT 180000,
  warm boolean NOT NULL DEFAULT false,
  retries integer NOT NULL DEFAULT 0 CHECK (retries BETWEEN 0 AND 10),
  retry_delay_ms integer NOT NULL DEFAULT 5000 CHECK (retry_delay_ms >= 0),
  input_schema json,
  bundle_hash text REFERENCES bundles,
  stale boolean NOT NULL DEFAULT true,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (owner_id, title)
);
CREATE INDEX skripts_list ON skripts (owner_id, created_at DESC, id DESC);
CREATE INDEX skripts_bundle ON skripts (bundle_hash);

-- One row per version, however often the same files are built: created_at is the first build, built_at the last.
CREATE TABLE skript_bundles (
  skript_id uuid NOT NULL REFERENCES skripts ON DELETE CASCADE,
  hash text NOT NULL REFERENCES bundles,
  built_by uuid NOT NULL,
  built_at timestamptz NOT NULL,
  builds integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (skript_id, hash)
);
CREATE INDEX skript_bundles_list ON skript_bundles (skript_id, built_at DESC, hash);
CREATE INDEX skript_bundles_hash ON skript_bundles (hash);

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

-- Values from users are json, not jsonb: jsonb refuses \\u0000 and lone surrogates, which scraped pages contain.
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
`;
