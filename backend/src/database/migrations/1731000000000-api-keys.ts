import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ApiKeys1731000000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(up);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(down);
  }
}

// Backends keep in memory whose a token is. Whatever ends or changes that tells them of the user, by triggers, so that no
// statement can forget to: `trawl_callers` carries the user's id.
const up = `
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
CREATE TRIGGER users_changed AFTER DELETE OR UPDATE OF username, role, built_in, disabled_at ON users
  FOR EACH ROW EXECUTE FUNCTION tell_of_caller();
`;

const down = `
DROP TRIGGER users_changed ON users;
DROP TRIGGER sessions_changed ON sessions;
DROP TRIGGER sessions_ended ON sessions;
DROP TABLE api_keys;
DROP FUNCTION tell_of_caller;
`;
