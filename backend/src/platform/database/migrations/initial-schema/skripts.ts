/** Skripts with their files, inputs and bundles. */
export const skripts = `
-- The npm lock of a skript's libraries, shared by every bundle that resolved to it.
CREATE TABLE locks (hash text PRIMARY KEY, lock text NOT NULL, created_at timestamptz NOT NULL DEFAULT now());

-- needs_browser: the bundle requires a library that needs a browser, for example Puppeteer.
CREATE TABLE bundles (
  hash text PRIMARY KEY,
  code text NOT NULL,
  files json NOT NULL,
  size integer NOT NULL,
  lock_hash text REFERENCES locks,
  created_at timestamptz NOT NULL DEFAULT now(),
  needs_browser boolean NOT NULL DEFAULT false
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
  time_limit_ms integer NOT NULL DEFAULT 3600000,
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

-- A bundle has the inputs and the manifest that the skript's files name, so a change of them makes the bundle stale. A
-- trigger notices every change, whichever route makes it.
CREATE FUNCTION skript_names(skript uuid, value_name text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM skript_files WHERE skript_id = skript AND strpos(content, value_name) > 0)
$$;

CREATE FUNCTION skript_values_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    UPDATE skripts SET stale = true WHERE id = OLD.skript_id AND NOT stale AND skript_names(OLD.skript_id, OLD.name);
  END IF;
  IF TG_OP <> 'DELETE' THEN
    UPDATE skripts SET stale = true WHERE id = NEW.skript_id AND NOT stale AND skript_names(NEW.skript_id, NEW.name);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER inputs_changed AFTER INSERT OR UPDATE OF name, val OR DELETE ON inputs
  FOR EACH ROW EXECUTE FUNCTION skript_values_changed();

CREATE FUNCTION skript_manifest_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.stale := NEW.stale OR skript_names(NEW.id, 'manifest.json');
  RETURN NEW;
END $$;
CREATE TRIGGER skripts_manifest_changed BEFORE UPDATE OF title, description, thumbnail, category, environment,
    worker_response_timeout, time_limit_ms, warm, retries, retry_delay_ms, input_schema ON skripts
  FOR EACH ROW WHEN (
    (OLD.title, OLD.description, OLD.thumbnail, OLD.category, OLD.environment, OLD.worker_response_timeout,
      OLD.time_limit_ms, OLD.warm, OLD.retries, OLD.retry_delay_ms, OLD.input_schema::text) IS DISTINCT FROM
    (NEW.title, NEW.description, NEW.thumbnail, NEW.category, NEW.environment, NEW.worker_response_timeout,
      NEW.time_limit_ms, NEW.warm, NEW.retries, NEW.retry_delay_ms, NEW.input_schema::text)
  ) EXECUTE FUNCTION skript_manifest_changed();
`;
