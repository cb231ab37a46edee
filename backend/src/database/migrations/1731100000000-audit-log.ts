import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AuditLog1731100000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(up);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(down);
  }
}

// Without foreign keys: what it says stays true when the account or the thing is gone. Ids are UUIDv7, so that the primary
// key is the order of time. An address that signed in to an account is kept as a digest only.
const up = `
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

CREATE TABLE login_addresses (
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  address bytea NOT NULL,
  last_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, address)
);
CREATE INDEX login_addresses_last ON login_addresses (last_at);
`;

const down = `DROP TABLE login_addresses, audit_log;`;
