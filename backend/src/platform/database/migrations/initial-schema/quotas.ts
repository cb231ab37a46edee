/**
 * Quotas and the functions that check them. A statement sees the rows as they were when it began: if it then waited for
 * the account's lock, it would not count rows that were added during the wait. So volatile functions count, because
 * each statement inside them sees the current rows. An account without a limit is not locked, and its rows are not
 * counted.
 */
export const quotas = `
CREATE TABLE daily_runs (
  owner_id uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  day date NOT NULL,
  runs integer NOT NULL
) WITH (fillfactor = 50);

-- is_warned: the account was told that it has used 80 % of its limit.
CREATE TABLE storage_usage (
  owner_id uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  bytes bigint NOT NULL,
  measured_at timestamptz NOT NULL DEFAULT now(),
  is_warned boolean NOT NULL DEFAULT false
);

-- Bytes of echoes, compressed, and of outputs that the runs of an account saved on its last day with runs.
CREATE TABLE daily_saved_bytes (
  owner_id uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  day date NOT NULL,
  bytes bigint NOT NULL
) WITH (fillfactor = 50);

CREATE FUNCTION utc_today() RETURNS date LANGUAGE sql STABLE AS $$ SELECT (now() AT TIME ZONE 'UTC')::date $$;

-- The smallest UUIDv7 of this moment.
CREATE FUNCTION first_id_at(moment timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
  SELECT (lpad(to_hex((extract(epoch FROM moment) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

-- The account's limit; 0 means unlimited. The limit of waiting runs also applies to the two accounts of the first start,
-- because every waiting run costs all accounts time when a worker becomes free.
CREATE FUNCTION quota_limit(account users, quota text, by_default bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce((account.quotas ->> quota)::bigint, CASE WHEN account.built_in AND quota <> 'waiting_runs' THEN 0 ELSE by_default END)
$$;

CREATE FUNCTION quota_used(owner uuid, quota text) RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  CASE quota
    WHEN 'skripts' THEN RETURN (SELECT count(*) FROM skripts s WHERE s.owner_id = owner);
    WHEN 'file_bytes' THEN
      RETURN (SELECT coalesce(sum(f.size), 0) FROM skripts s JOIN skript_files f ON f.skript_id = s.id WHERE s.owner_id = owner);
    WHEN 'inputs' THEN
      RETURN (SELECT count(*) FROM skripts s JOIN inputs i ON i.skript_id = s.id WHERE s.owner_id = owner)
        + (SELECT count(*) FROM skripts s JOIN input_secrets i ON i.skript_id = s.id WHERE s.owner_id = owner);
    WHEN 'runs_at_once' THEN RETURN (SELECT count(*) FROM live_runs r WHERE r.owner_id = owner);
    -- Unlimited accounts have no row in daily_runs. Retries count as part of the start that they repeat.
    WHEN 'runs_per_day' THEN
      RETURN coalesce((SELECT d.runs FROM daily_runs d WHERE d.owner_id = owner AND d.day = utc_today()),
        (SELECT count(*) FROM (SELECT 1 FROM executions e WHERE e.owner_id = owner AND e.retry_of IS NULL
           AND e.id >= first_id_at(utc_today()::timestamp AT TIME ZONE 'UTC') LIMIT 10000) started));
    WHEN 'storage_bytes' THEN RETURN coalesce((SELECT u.bytes FROM storage_usage u WHERE u.owner_id = owner), 0);
    WHEN 'databases' THEN RETURN (SELECT count(*) FROM mongo_databases d WHERE d.owner_id = owner);
    WHEN 'api_keys' THEN RETURN (SELECT count(*) FROM api_keys k WHERE k.user_id = owner AND k.revoked_at IS NULL
      AND (k.expires_at IS NULL OR k.expires_at > now()));
    WHEN 'schedules' THEN RETURN (SELECT count(*) FROM schedules s WHERE s.owner_id = owner);
    WHEN 'webhooks' THEN RETURN (SELECT count(*) FROM webhook_endpoints w WHERE w.owner_id = owner);
    WHEN 'echo_bytes_per_day' THEN
      RETURN coalesce((SELECT d.bytes FROM daily_saved_bytes d WHERE d.owner_id = owner AND d.day = utc_today()), 0);
    WHEN 'waiting_runs' THEN RETURN (SELECT count(*) FROM live_runs r WHERE r.owner_id = owner AND r.boot_id IS NULL);
  END CASE;
END $$;

-- Returns null when the account has room for added more, and keeps the account locked until the transaction ends.
CREATE FUNCTION quota_refusal(owner uuid, quota text, by_default bigint, added bigint) RETURNS json LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  most bigint := (SELECT quota_limit(u, quota, by_default) FROM users u WHERE u.id = owner);
  used bigint;
BEGIN
  IF most = 0 OR added <= 0 THEN RETURN NULL; END IF;
  PERFORM 1 FROM users u WHERE u.id = owner FOR NO KEY UPDATE;
  used := quota_used(owner, quota);
  IF used + added <= most THEN RETURN NULL; END IF;
  RETURN json_build_object('quota', quota, 'limit', most, 'used', used);
END $$;

-- Returns how many more runs the account may start now, and the refusal for the run after these; and the same for runs that
-- have to wait. started_before is today's number of starts, or null if the account has no daily limit. An account with a
-- limit on its live or daily runs stays locked until the transaction ends. For others, concurrent starts through other
-- backends can exceed the limit on waiting runs by a batch.
CREATE FUNCTION run_room(owner uuid, at_once_by_default bigint, per_day_by_default bigint, waiting_by_default bigint,
  OUT room bigint, OUT refusal json, OUT started_before bigint, OUT waiting_room bigint, OUT waiting_refusal json)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  at_once bigint;
  per_day bigint;
  waiting bigint;
  used bigint;
BEGIN
  SELECT quota_limit(u, 'runs_at_once', at_once_by_default), quota_limit(u, 'runs_per_day', per_day_by_default),
      quota_limit(u, 'waiting_runs', waiting_by_default)
    INTO at_once, per_day, waiting FROM users u WHERE u.id = owner;
  IF at_once > 0 OR per_day > 0 THEN PERFORM 1 FROM users u WHERE u.id = owner FOR NO KEY UPDATE; END IF;
  IF per_day > 0 THEN
    started_before := quota_used(owner, 'runs_per_day');
    room := greatest(per_day - started_before, 0);
    refusal := json_build_object('quota', 'runs_per_day', 'limit', per_day, 'used', greatest(started_before, per_day));
  END IF;
  IF at_once > 0 THEN
    used := quota_used(owner, 'runs_at_once');
    IF room IS NULL OR greatest(at_once - used, 0) < room THEN
      room := greatest(at_once - used, 0);
      refusal := json_build_object('quota', 'runs_at_once', 'limit', at_once, 'used', greatest(used, at_once));
    END IF;
  END IF;
  IF waiting > 0 THEN
    used := (SELECT count(*) FROM (SELECT FROM live_runs r WHERE r.owner_id = owner AND r.boot_id IS NULL LIMIT waiting) w);
    waiting_room := waiting - used;
    waiting_refusal := json_build_object('quota', 'waiting_runs', 'limit', waiting, 'used', used);
  END IF;
END $$;

-- Returns whether the skript has room for one more input (or input secret) of this name, which must be ASCII; the skript
-- and, for a limited account, the account stay locked until the transaction ends. False may also mean "cannot tell": the
-- skript has a name with other characters, which only the backend knows how to compare.
CREATE FUNCTION has_room_for_input(owner uuid, skript uuid, secret boolean, new_name text, most integer, by_default bigint)
RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  others bigint;
  rivals bigint;
BEGIN
  PERFORM 1 FROM skripts s WHERE s.id = skript AND s.owner_id = owner FOR UPDATE;
  IF NOT FOUND THEN RETURN false; END IF;
  IF secret THEN
    SELECT count(*), count(*) FILTER (WHERE lower(i.name) = lower(new_name) OR i.name ~ '[^ -~]') INTO others, rivals
      FROM input_secrets i WHERE i.skript_id = skript;
  ELSE
    SELECT count(*), count(*) FILTER (WHERE lower(i.name) = lower(new_name) OR i.name ~ '[^ -~]') INTO others, rivals
      FROM inputs i WHERE i.skript_id = skript;
  END IF;
  RETURN others < most AND rivals = 0 AND quota_refusal(owner, 'inputs', by_default, 1) IS NULL;
END $$;
`;
