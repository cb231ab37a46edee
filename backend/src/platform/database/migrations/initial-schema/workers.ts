/** Workers, the accounts that may use them, and the leases of workers. */
export const workers = `
-- A restart is requested of one boot of the worker (restart_boot_id); a later boot has fulfilled it.
CREATE TABLE workers (
  id uuid PRIMARY KEY,
  name text NOT NULL UNIQUE,
  public boolean NOT NULL DEFAULT false,
  key_hash bytea NOT NULL UNIQUE,
  ip_address text,
  version text,
  environments text[] NOT NULL DEFAULT '{}',
  sandbox text,
  sandbox_layers json NOT NULL DEFAULT '[]',
  slots integer NOT NULL DEFAULT 0,
  restart_boot_id uuid,
  restart_mode text CHECK (restart_mode IN ('drain', 'stop')),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE worker_assignments (
  worker_id uuid NOT NULL REFERENCES workers ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (worker_id, user_id)
);

-- Accounts that wait for a free worker, the oldest first.
CREATE TABLE waiting_assignments (
  user_id uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX waiting_assignments_turn ON waiting_assignments (created_at);

-- Heartbeats update a lease every few seconds; the fill factor leaves room to do that in place.
CREATE TABLE worker_leases (
  worker_id uuid PRIMARY KEY REFERENCES workers ON DELETE CASCADE,
  epoch bigint NOT NULL DEFAULT 0,
  boot_id uuid NOT NULL,
  replica_id uuid,
  lease_until timestamptz NOT NULL,
  free_slots integer NOT NULL
) WITH (fillfactor = 50);
`;
