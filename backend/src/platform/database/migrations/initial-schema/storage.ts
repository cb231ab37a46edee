/** Users' MongoDB databases. */
export const storage = `
CREATE TABLE mongo_databases (
  id uuid PRIMARY KEY,
  owner_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  name text NOT NULL,
  db_name text NOT NULL UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (owner_id, name)
);

-- Databases that must be dropped a second time: a call that still held the name may have written after the first drop.
CREATE TABLE mongo_drops (
  db_name text PRIMARY KEY,
  deleted_at timestamptz NOT NULL DEFAULT now()
);
`;
