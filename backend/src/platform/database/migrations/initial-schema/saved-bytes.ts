/** Functions that save echoes and sizes of databases, count their bytes, and tell the account before a limit. */
export const savedBytes = `
-- Adds to today's bytes of an account and returns them. Records an event when they pass 80 % of the limit, and at the limit.
-- The row stays locked until the transaction ends.
CREATE FUNCTION count_saved_bytes(owner uuid, added bigint, by_default bigint) RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  most bigint := (SELECT quota_limit(u, 'echo_bytes_per_day', by_default) FROM users u WHERE u.id = owner);
  total bigint;
  percent integer;
BEGIN
  INSERT INTO daily_saved_bytes AS d (owner_id, day, bytes)
  SELECT u.id, utc_today(), added FROM users u WHERE u.id = owner
  ON CONFLICT (owner_id) DO UPDATE SET day = EXCLUDED.day,
    bytes = EXCLUDED.bytes + CASE WHEN d.day = EXCLUDED.day THEN d.bytes ELSE 0 END
  RETURNING bytes INTO total;
  percent := CASE WHEN total >= most AND total - added < most THEN 100
    WHEN total >= most * 0.8 AND total - added < most * 0.8 THEN 80 END;
  IF most > 0 AND percent IS NOT NULL THEN
    PERFORM record_events(ARRAY[owner], ARRAY['quota.warning'], ARRAY[json_build_object(
      'quota', json_build_object('name', 'echo_bytes_per_day', 'limit', most, 'used', total), 'percent', percent)]);
  END IF;
  RETURN total;
END $$;

-- Saves a chunk and counts its bytes. Returns null; or the refusal, if the account had already used up its quota before this
-- chunk. Does nothing if the chunk is saved, or if the run was deleted or belongs to another worker.
CREATE FUNCTION save_echo_chunk(run uuid, worker uuid, chunk integer, first_seq integer, last_seq integer, data bytea,
  by_default bigint) RETURNS json LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  owner uuid := (SELECT e.owner_id FROM executions e WHERE e.id = run AND e.worker_id = worker);
  most bigint := (SELECT quota_limit(u, 'echo_bytes_per_day', by_default) FROM users u WHERE u.id = owner);
  used bigint;
BEGIN
  IF owner IS NULL OR EXISTS (SELECT FROM echo_chunks c WHERE c.execution_id = run AND c.n = chunk) THEN RETURN NULL; END IF;
  IF most > 0 THEN
    used := count_saved_bytes(owner, 0, by_default);
    IF used >= most THEN
      RETURN json_build_object('quota', 'echo_bytes_per_day', 'limit', most, 'used', used);
    END IF;
  END IF;
  INSERT INTO echo_chunks (execution_id, n, from_seq, to_seq, gz) VALUES (run, chunk, first_seq, last_seq, data)
  ON CONFLICT (execution_id, n) DO NOTHING;
  IF FOUND THEN PERFORM count_saved_bytes(owner, length(data), by_default); END IF;
  RETURN NULL;
END $$;

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

-- Backends before version 0.1.0 call save_echo_chunk instead.
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

-- Saves how many bytes an account stores. Records an event when they reach 80 % of the limit; again only after they were
-- below 70 %, so that an account around 80 % gets one event.
CREATE FUNCTION save_storage_usage(owner uuid, measured bigint, by_default bigint) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  most bigint := (SELECT quota_limit(u, 'storage_bytes', by_default) FROM users u WHERE u.id = owner);
  was_warned boolean;
BEGIN
  INSERT INTO storage_usage (owner_id, bytes) SELECT u.id, measured FROM users u WHERE u.id = owner
  ON CONFLICT (owner_id) DO UPDATE SET bytes = EXCLUDED.bytes, measured_at = now()
  RETURNING is_warned INTO was_warned;
  IF most > 0 AND measured >= most * 0.8 AND NOT was_warned THEN
    UPDATE storage_usage SET is_warned = true WHERE owner_id = owner;
    PERFORM record_events(ARRAY[owner], ARRAY['quota.warning'], ARRAY[json_build_object(
      'quota', json_build_object('name', 'storage_bytes', 'limit', most, 'used', measured), 'percent', 80)]);
  ELSIF was_warned AND (most = 0 OR measured < most * 0.7) THEN
    UPDATE storage_usage SET is_warned = false WHERE owner_id = owner;
  END IF;
END $$;
`;
