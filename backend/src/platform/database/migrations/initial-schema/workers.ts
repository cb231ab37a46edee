/** Workers and groups of workers, the accounts that may use them, and the leases of workers. */
export const workers = `
-- Groups of workers that share a key. Each process that connects with it is a worker of the group.
CREATE TABLE worker_groups (
  id uuid PRIMARY KEY,
  name text NOT NULL UNIQUE,
  public boolean NOT NULL DEFAULT false,
  key_hash bytea NOT NULL UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

-- A restart is requested of one boot of the worker (restart_boot_id); a later boot has fulfilled it. chromium is the
-- version of the worker's Chromium; null if it has none, or does not send it.
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
  updated_at timestamptz NOT NULL DEFAULT now(),
  group_id uuid REFERENCES worker_groups,
  chromium text
);
CREATE INDEX workers_of_group ON workers (group_id) WHERE group_id IS NOT NULL;

CREATE TABLE worker_assignments (
  worker_id uuid NOT NULL REFERENCES workers ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (worker_id, user_id)
);

-- Assigns a group to an account, with the workers that it has and gets.
CREATE TABLE worker_group_assignments (
  group_id uuid NOT NULL REFERENCES worker_groups ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (group_id, user_id)
);
CREATE INDEX worker_group_assignments_of_user ON worker_group_assignments (user_id);

-- Accounts that wait for a free worker, the oldest first.
CREATE TABLE waiting_assignments (
  user_id uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX waiting_assignments_turn ON waiting_assignments (created_at);

-- Heartbeats update a lease every few seconds; the fill factor leaves room to do that in place. They also say how busy the
-- worker's machine is; null for workers that do not send it. lost_at is when the worker's loss was recorded; null from its
-- next connection on. connected_at is when the process that has the lease first connected.
CREATE TABLE worker_leases (
  worker_id uuid PRIMARY KEY REFERENCES workers ON DELETE CASCADE,
  epoch bigint NOT NULL DEFAULT 0,
  boot_id uuid NOT NULL,
  replica_id uuid,
  lease_until timestamptz NOT NULL,
  free_slots integer NOT NULL,
  lost_at timestamptz,
  cpu real,
  memory_used bigint,
  memory_total bigint,
  connected_at timestamptz NOT NULL DEFAULT now(),
  disk_free bigint,
  disk_total bigint
) WITH (fillfactor = 50);
`;
