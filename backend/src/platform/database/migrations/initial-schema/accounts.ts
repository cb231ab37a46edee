/** Accounts, their sessions, API keys and password links. */
export const accounts = `
-- An account has no password until its first password link is used. From expires_at on nobody can sign in, and a sweep
-- deletes the account. removal_tried_at is when the sweep last tried.
CREATE TABLE users (
  id uuid PRIMARY KEY,
  username text NOT NULL UNIQUE,
  password_hash text,
  role text NOT NULL CHECK (role IN ('developer', 'admin')),
  built_in boolean NOT NULL DEFAULT false,
  disabled_at timestamptz,
  quotas jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  removal_tried_at timestamptz
);
CREATE INDEX users_pending ON users (created_at) WHERE password_hash IS NULL;
CREATE INDEX users_expiry ON users (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE sessions (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  expires_at timestamptz NOT NULL,
  ip text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expiry ON sessions (expires_at);

CREATE TABLE api_keys (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  name text NOT NULL,
  scope text NOT NULL CHECK (scope IN ('read', 'run', 'all')),
  key_hash bytea NOT NULL UNIQUE,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX api_keys_name ON api_keys (user_id, name) WHERE revoked_at IS NULL;
CREATE INDEX api_keys_list ON api_keys (user_id, created_at DESC, id DESC);
CREATE INDEX api_keys_revoked ON api_keys (revoked_at) WHERE revoked_at IS NOT NULL;

-- Backends cache which user a token belongs to. Triggers announce every change that could make an entry stale, so that no
-- statement can forget to. The payload of 'trawl_callers' is the user's id.
CREATE FUNCTION tell_of_caller() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('trawl_callers', CASE TG_TABLE_NAME WHEN 'users' THEN OLD.id ELSE (to_json(OLD)->>'user_id')::uuid END::text);
  RETURN NULL;
END $$;
CREATE TRIGGER sessions_ended AFTER DELETE ON sessions
  FOR EACH ROW WHEN (OLD.expires_at > now()) EXECUTE FUNCTION tell_of_caller();
CREATE TRIGGER sessions_changed AFTER UPDATE ON sessions FOR EACH ROW EXECUTE FUNCTION tell_of_caller();
CREATE TRIGGER api_keys_changed AFTER DELETE OR UPDATE OF name, scope, expires_at, revoked_at, user_id ON api_keys
  FOR EACH ROW EXECUTE FUNCTION tell_of_caller();
CREATE TRIGGER users_changed AFTER DELETE OR UPDATE OF username, role, built_in, disabled_at, expires_at ON users
  FOR EACH ROW EXECUTE FUNCTION tell_of_caller();

-- sign_up holds what the sign-up form said; it becomes the account's profile when this link is used.
CREATE TABLE password_links (
  token_hash bytea PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  expires_at timestamptz NOT NULL,
  sign_up json,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX password_links_user ON password_links (user_id);
CREATE INDEX password_links_expiry ON password_links (expires_at);

-- ip, time and referer are what the browser claimed; seen_ip is the address that the server saw.
CREATE TABLE profiles (
  user_id uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  first_name text NOT NULL,
  last_name text NOT NULL,
  city text NOT NULL,
  country text NOT NULL,
  phone text NOT NULL,
  website text NOT NULL,
  company_name text NOT NULL,
  company_location text NOT NULL,
  company_vat text NOT NULL,
  comment text NOT NULL,
  ip text NOT NULL,
  seen_ip text NOT NULL,
  time text NOT NULL,
  referer text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

-- Addresses that signed in to an account, as digests: they bypass the account's limit on failed logins.
CREATE TABLE login_addresses (
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  address bytea NOT NULL,
  last_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, address)
);
CREATE INDEX login_addresses_last ON login_addresses (last_at);
`;
