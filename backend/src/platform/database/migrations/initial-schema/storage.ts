/** Users' databases: MongoDB, and PostgreSQL on the users' server. */
export const storage = `
-- A shared database can be read by all accounts.
CREATE TABLE mongo_databases (
  id uuid PRIMARY KEY,
  owner_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  name text NOT NULL,
  db_name text NOT NULL UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  shared boolean NOT NULL DEFAULT false,
  UNIQUE (owner_id, name)
);
-- A skript names a shared database without its owner.
CREATE UNIQUE INDEX mongo_databases_shared ON mongo_databases (name) WHERE shared;

-- Databases that must be dropped a second time: a call that still held the name may have written after the first drop.
CREATE TABLE mongo_drops (
  db_name text PRIMARY KEY,
  deleted_at timestamptz NOT NULL DEFAULT now()
);

-- Collections of deleted skripts.
CREATE TABLE mongo_collection_drops (
  db_name text NOT NULL,
  collection text NOT NULL,
  deleted_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (db_name, collection)
);

CREATE TABLE postgres_databases (
  owner_id uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  name text NOT NULL UNIQUE,
  ready boolean NOT NULL DEFAULT false,
  bytes bigint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  restricted boolean NOT NULL DEFAULT false
);

-- Databases that must be dropped a second time: another backend may have created one after the first drop.
CREATE TABLE postgres_drops (
  name text PRIMARY KEY,
  deleted_at timestamptz NOT NULL DEFAULT now()
);
`;
