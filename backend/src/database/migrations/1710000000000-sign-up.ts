import type { MigrationInterface, QueryRunner } from 'typeorm';

export class SignUp1710000000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(up);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(down);
  }
}

// An account without a password is one whose first link was not used yet. `ip`, `time` and `referer` are what a browser
// claims; `seen_ip` is where the server saw the request come from. An e-mail is done when it was sent, or refused for good.
const up = `
ALTER TABLE users ALTER COLUMN password_hash DROP NOT NULL;
CREATE INDEX users_pending ON users (created_at) WHERE password_hash IS NULL;

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

CREATE TABLE contact_messages (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  email text NOT NULL,
  country text NOT NULL,
  subject text NOT NULL,
  msg text NOT NULL,
  ip text NOT NULL,
  seen_ip text NOT NULL,
  time text NOT NULL,
  referer text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX contact_messages_list ON contact_messages (created_at DESC, id DESC);

CREATE TABLE password_links (
  token_hash bytea PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX password_links_user ON password_links (user_id);
CREATE INDEX password_links_expiry ON password_links (expires_at);

CREATE TABLE outgoing_mails (
  id uuid PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('activation', 'password_reset', 'account_exists', 'contact', 'worker_wanted')),
  recipient text NOT NULL,
  message bytea,
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL DEFAULT now(),
  send_before timestamptz NOT NULL,
  done_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX outgoing_mails_due ON outgoing_mails (next_attempt_at) WHERE message IS NOT NULL;
CREATE INDEX outgoing_mails_late ON outgoing_mails (send_before) WHERE message IS NOT NULL;
CREATE INDEX outgoing_mails_done ON outgoing_mails (done_at) WHERE done_at IS NOT NULL;
CREATE INDEX outgoing_mails_recipient ON outgoing_mails (recipient, created_at);

CREATE TABLE waiting_assignments (
  user_id uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX waiting_assignments_turn ON waiting_assignments (created_at);
`;

const down = `
DROP TABLE waiting_assignments, outgoing_mails, password_links, contact_messages, profiles;
DROP INDEX users_pending;
DELETE FROM users WHERE password_hash IS NULL;
ALTER TABLE users ALTER COLUMN password_hash SET NOT NULL;
`;
