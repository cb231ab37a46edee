import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Lets the bytes of a chunk of echoes be in an object store instead of its row, and lists the objects to delete.
 */
export class ObjectStore1795431000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(TABLES);
    await queryRunner.query(FUNCTIONS);
  }

  /** Fails while rows have their bytes in the object store. */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE echo_chunks ALTER COLUMN gz SET NOT NULL');
    await queryRunner.query('DROP TRIGGER delete_objects_of_chunks ON echo_chunks');
    await queryRunner.query(
      `DROP FUNCTION save_chunk(uuid, uuid, integer, integer, integer, bytea, text, bytea, integer, bigint),
         begin_chunk_object(uuid, uuid, integer, text, bigint), delete_objects_of_chunks()`,
    );
    await queryRunner.query('DROP TABLE object_deletions');
    await queryRunner.query(
      'ALTER TABLE echo_chunks DROP COLUMN object_key, DROP COLUMN object_sha256, DROP COLUMN object_bytes',
    );
  }
}

const TABLES = `
-- The bytes of a chunk are either in gz, or in the object with the key object_key.
ALTER TABLE echo_chunks ALTER COLUMN gz DROP NOT NULL;
ALTER TABLE echo_chunks ADD COLUMN object_key text, ADD COLUMN object_sha256 bytea, ADD COLUMN object_bytes integer;

-- Objects of deleted chunks; and objects that are being uploaded, until the row of their chunk is saved. If a backend
-- crashes between the upload and the row, the object is therefore deleted later.
CREATE TABLE object_deletions (key text PRIMARY KEY, delete_after timestamptz NOT NULL DEFAULT now());
CREATE INDEX object_deletions_due ON object_deletions (delete_after);
`;

const FUNCTIONS = `
-- Registers an object before its upload. Returns null if it may be uploaded; {"refusal": …} if the account has used up its
-- quota; {} if there is nothing to save, because the chunk is saved, or the run was deleted or belongs to another worker.
CREATE FUNCTION begin_chunk_object(run uuid, worker uuid, chunk integer, object text, by_default bigint)
RETURNS json LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  owner uuid := (SELECT e.owner_id FROM executions e WHERE e.id = run AND e.worker_id = worker);
  most bigint := (SELECT quota_limit(u, 'echo_bytes_per_day', by_default) FROM users u WHERE u.id = owner);
  used bigint := (SELECT d.bytes FROM daily_saved_bytes d WHERE d.owner_id = owner AND d.day = utc_today());
BEGIN
  IF owner IS NULL OR EXISTS (SELECT FROM echo_chunks c WHERE c.execution_id = run AND c.n = chunk) THEN RETURN '{}'; END IF;
  IF most > 0 AND used >= most THEN
    RETURN json_build_object('refusal',
      json_build_object('quota', 'echo_bytes_per_day', 'limit', most, 'used', used));
  END IF;
  INSERT INTO object_deletions (key, delete_after) VALUES (object, now() + interval '1 day');
  RETURN NULL;
END $$;

-- Replaces save_echo_chunk, which backends of the version before still call.
-- Saves a chunk and counts its bytes. The bytes are in \`data\`, or in the object \`object\` that begin_chunk_object registered.
-- Returns null; or the refusal, if the account had already used up its quota before this chunk. Does nothing if the chunk
-- is saved, or if the run was deleted or belongs to another worker. An object that is not needed is then deleted.
CREATE FUNCTION save_chunk(run uuid, worker uuid, chunk integer, first_seq integer, last_seq integer, data bytea,
  object text, sum bytea, size integer, by_default bigint) RETURNS json LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  owner uuid := (SELECT e.owner_id FROM executions e WHERE e.id = run AND e.worker_id = worker);
  most bigint := (SELECT quota_limit(u, 'echo_bytes_per_day', by_default) FROM users u WHERE u.id = owner);
  used bigint;
  refusal json;
BEGIN
  IF owner IS NOT NULL AND NOT EXISTS (SELECT FROM echo_chunks c WHERE c.execution_id = run AND c.n = chunk) THEN
    IF most > 0 THEN
      used := count_saved_bytes(owner, 0, by_default);
      IF used >= most THEN
        refusal := json_build_object('quota', 'echo_bytes_per_day', 'limit', most, 'used', used);
      END IF;
    END IF;
    IF refusal IS NULL THEN
      INSERT INTO echo_chunks (execution_id, n, from_seq, to_seq, gz, object_key, object_sha256, object_bytes)
      VALUES (run, chunk, first_seq, last_seq, data, object, sum, CASE WHEN object IS NOT NULL THEN size END)
      ON CONFLICT (execution_id, n) DO NOTHING;
      IF FOUND THEN
        PERFORM count_saved_bytes(owner, size, by_default);
        IF object IS NOT NULL THEN
          DELETE FROM object_deletions WHERE key = object;
          IF NOT FOUND THEN RAISE EXCEPTION 'The object % was deleted, because its upload took too long.', object; END IF;
        END IF;
        RETURN NULL;
      END IF;
    END IF;
  END IF;
  IF object IS NOT NULL THEN UPDATE object_deletions SET delete_after = now() WHERE key = object; END IF;
  RETURN refusal;
END $$;

CREATE FUNCTION delete_objects_of_chunks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO object_deletions (key) SELECT object_key FROM deleted WHERE object_key IS NOT NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER delete_objects_of_chunks AFTER DELETE ON echo_chunks REFERENCING OLD TABLE AS deleted
  FOR EACH STATEMENT EXECUTE FUNCTION delete_objects_of_chunks();
`;
