/** Records of API calls: idempotency keys and the audit log. */
export const calls = `
CREATE TABLE idempotency_keys (
  owner_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  key text NOT NULL,
  request bytea NOT NULL,
  status integer,
  answer_sealed bytea,
  under_way_until timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (owner_id, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);

-- The audit log has no foreign keys: an entry stays true after its account or target is deleted. Ids are UUIDv7, so the
-- primary key sorts by time.
CREATE TABLE audit_log (
  id uuid PRIMARY KEY,
  user_id uuid,
  username text,
  key_id uuid,
  key_name text,
  action text NOT NULL,
  target_kind text,
  target_id text,
  fields text[] NOT NULL,
  status integer NOT NULL,
  ip text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX audit_log_user ON audit_log (user_id, id DESC);
CREATE INDEX audit_log_action ON audit_log (action, id DESC);
CREATE INDEX audit_log_target ON audit_log (target_id, id DESC);
`;
