/** Contact messages of the website's form, and the outbox of e-mails. */
export const website = `
-- ip, time and referer are what the browser claimed; seen_ip is the address that the server saw.
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

-- message is encrypted. done_at is set when the e-mail was sent or permanently refused; message is null from then on.
CREATE TABLE outgoing_mails (
  id uuid PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('activation', 'password_reset', 'account_exists', 'contact', 'worker_wanted', 'schedule_problem',
    'notification')),
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
`;
