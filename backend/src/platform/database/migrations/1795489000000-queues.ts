import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Queues of requests that outlive the run. `queue_requests.queue` is `queues.key`. The requests of a queue that is
 * marked as deleted go in batches. All functions lock in this order: taker, requests, queue, hosts.
 *
 * State of a request: w = waiting, d = delayed until `due_at`, l = leased by `taker`, x = done, f = failed.
 * See docs/decisions/0521-queues-in-postgresql.md.
 */
export class Queues1795489000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(TABLES);
    await queryRunner.query(COUNT_HOSTS);
    await queryRunner.query(ADD);
    await queryRunner.query(GIVE_BACK);
    await queryRunner.query(TAKE);
    await queryRunner.query(SETTLE);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP FUNCTION queue_add, queue_take, queue_settle, queue_give_back, queue_count_hosts;
      DROP TABLE queue_requests, queue_hosts, queue_takers, queues;
      DROP SEQUENCE queue_places, queue_keys`);
  }
}

const TABLES = `
CREATE SEQUENCE queue_keys AS integer;
-- Each add takes the places of 1,000 requests.
CREATE SEQUENCE queue_places INCREMENT BY 1000;

CREATE TABLE queues (
  id uuid PRIMARY KEY,
  key integer NOT NULL UNIQUE DEFAULT nextval('queue_keys'),
  owner_id uuid REFERENCES users ON DELETE SET NULL,
  name text NOT NULL,
  waiting bigint NOT NULL DEFAULT 0,
  delayed bigint NOT NULL DEFAULT 0,
  leased bigint NOT NULL DEFAULT 0,
  done bigint NOT NULL DEFAULT 0,
  failed bigint NOT NULL DEFAULT 0,
  bytes bigint NOT NULL DEFAULT 0,
  deleted_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50);
CREATE UNIQUE INDEX queues_name ON queues (owner_id, name) WHERE deleted_at IS NULL;
CREATE INDEX queues_deleted ON queues (key) WHERE deleted_at IS NOT NULL OR owner_id IS NULL;

-- turn: hosts are taken from in the order of it.
CREATE TABLE queue_hosts (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  queue integer NOT NULL,
  name text NOT NULL,
  waiting bigint NOT NULL DEFAULT 0,
  delayed bigint NOT NULL DEFAULT 0,
  leased bigint NOT NULL DEFAULT 0,
  done bigint NOT NULL DEFAULT 0,
  failed bigint NOT NULL DEFAULT 0,
  turn bigint NOT NULL DEFAULT 0,
  UNIQUE (queue, name)
) WITH (fillfactor = 50);
CREATE INDEX queue_hosts_turn ON queue_hosts (queue, turn) WHERE waiting > 0;

-- Runs that have taken requests. last_take: the number of the run's latest take.
CREATE TABLE queue_takers (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  queue integer NOT NULL,
  execution_id uuid NOT NULL,
  last_take integer NOT NULL DEFAULT 0,
  leased integer NOT NULL DEFAULT 0,
  UNIQUE (queue, execution_id)
) WITH (fillfactor = 50);

-- The order of the columns saves padding. rank: priority, then place.
CREATE TABLE queue_requests (
  rank bigint NOT NULL,
  due_at timestamptz,
  fingerprint uuid NOT NULL,
  queue integer NOT NULL,
  host integer NOT NULL,
  taker integer,
  lease integer,
  retries smallint NOT NULL DEFAULT 0,
  state "char" NOT NULL DEFAULT 'w',
  url text NOT NULL,
  data text,
  error text,
  PRIMARY KEY (queue, fingerprint)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);
CREATE INDEX queue_requests_waiting ON queue_requests (queue, host, rank) WHERE state = 'w';
CREATE INDEX queue_requests_delayed ON queue_requests (queue, due_at) WHERE state = 'd';
CREATE INDEX queue_requests_leased ON queue_requests (taker, lease) WHERE state = 'l';
CREATE INDEX queue_requests_failed ON queue_requests (queue, host) WHERE state = 'f';`;

/** Adds to the counts of hosts. Its caller holds the lock of the queue. */
export const COUNT_HOSTS = `
CREATE FUNCTION queue_count_hosts(hosts integer[], waiting_more integer[], delayed_more integer[], leased_more integer[],
  done_more integer[], failed_more integer[], is_taken boolean) RETURNS void LANGUAGE sql AS $$
  UPDATE queue_hosts h SET waiting = h.waiting + m.waiting, delayed = h.delayed + m.delayed, leased = h.leased + m.leased,
    done = h.done + m.done, failed = h.failed + m.failed,
    turn = CASE WHEN is_taken THEN nextval('queue_places') ELSE h.turn END
  FROM (SELECT host, sum(w) AS waiting, sum(d) AS delayed, sum(l) AS leased, sum(x) AS done, sum(f) AS failed
    FROM unnest(hosts, waiting_more, delayed_more, leased_more, done_more, failed_more) AS u (host, w, d, l, x, f)
    GROUP BY host) m
  WHERE h.id = m.host
$$;`;

/**
 * Adds requests that the queue does not know, and returns for each whether it was new (0), known (1) or known and done
 * (2); null if the queue, or the account, would have too many. Adds of a queue follow each other.
 */
export const ADD = `
CREATE FUNCTION queue_add(owner uuid, queue_name text, new_id uuid, fingerprints uuid[], urls text[], hosts text[], datas text[],
  first_rank bigint, is_front boolean, overhead integer, most_requests bigint, most_queues integer, OUT states smallint[], OUT refusal text)
LANGUAGE plpgsql AS $$
DECLARE
  q queues;
  place bigint := nextval('queue_places');
  added integer;
  added_bytes bigint;
BEGIN
  SELECT * INTO q FROM queues WHERE owner_id = owner AND name = queue_name AND deleted_at IS NULL FOR UPDATE;
  IF NOT FOUND THEN
    PERFORM 1 FROM users WHERE id = owner FOR NO KEY UPDATE;
    IF (SELECT count(*) FROM queues WHERE owner_id = owner) >= most_queues
      AND NOT EXISTS (SELECT FROM queues WHERE owner_id = owner AND name = queue_name AND deleted_at IS NULL) THEN
      refusal := 'queues';
      RETURN;
    END IF;
    INSERT INTO queues (id, owner_id, name) VALUES (new_id, owner, queue_name) ON CONFLICT DO NOTHING;
    SELECT * INTO q FROM queues WHERE owner_id = owner AND name = queue_name AND deleted_at IS NULL FOR UPDATE;
    IF NOT FOUND THEN RETURN; END IF;
  END IF;
  SELECT array_agg(CASE WHEN r.state IS NULL THEN 0 WHEN r.state = 'x' THEN 2 ELSE 1 END ORDER BY s.n) INTO states
    FROM unnest(fingerprints) WITH ORDINALITY AS s (fingerprint, n)
    LEFT JOIN queue_requests r ON r.queue = q.key AND r.fingerprint = s.fingerprint;
  added := (SELECT count(*) FROM unnest(states) AS s (state) WHERE state = 0);
  IF q.waiting + q.delayed + q.leased + q.done + q.failed + added > most_requests THEN
    states := NULL;
    refusal := 'requests';
    RETURN;
  END IF;
  IF added = 0 THEN
    UPDATE queues SET updated_at = now() WHERE key = q.key;
    RETURN;
  END IF;
  WITH sent AS (
    SELECT DISTINCT ON (s.fingerprint) s.* FROM unnest(fingerprints, urls, hosts, datas, states) WITH ORDINALITY
      AS s (fingerprint, url, host, data, state, n) WHERE s.state = 0 ORDER BY s.fingerprint, s.n),
  new_hosts AS (
    INSERT INTO queue_hosts (queue, name)
    SELECT DISTINCT q.key, host FROM sent WHERE NOT EXISTS (SELECT FROM queue_hosts h WHERE h.queue = q.key AND h.name = host)
    RETURNING id, name),
  all_hosts AS (
    SELECT id, name FROM new_hosts UNION ALL
    SELECT h.id, h.name FROM queue_hosts h WHERE h.queue = q.key AND h.name IN (SELECT host FROM sent)),
  stored AS (
    INSERT INTO queue_requests (queue, fingerprint, host, rank, url, data)
    SELECT q.key, s.fingerprint, h.id, first_rank + s.n + CASE WHEN is_front THEN -place ELSE place END, s.url, s.data
    FROM sent s JOIN all_hosts h ON h.name = s.host
    RETURNING queue_requests.host, octet_length(queue_requests.url) + coalesce(octet_length(queue_requests.data), 0) AS bytes)
  SELECT count(*), sum(bytes) + count(*) * overhead + (SELECT coalesce(sum(overhead + octet_length(name)), 0) FROM new_hosts)
    INTO added, added_bytes FROM stored;
  UPDATE queues SET waiting = waiting + added, bytes = bytes + added_bytes, updated_at = now() WHERE key = q.key;
  -- The first of two equal requests of a call is new.
  states := (SELECT array_agg(CASE WHEN state = 0 AND nth > 1 THEN 1 ELSE state END ORDER BY n)
    FROM (SELECT s.*, row_number() OVER (PARTITION BY fingerprint ORDER BY n) AS nth
      FROM unnest(fingerprints, states) WITH ORDINALITY AS s (fingerprint, state, n)) numbered);
  PERFORM queue_count_hosts(array_agg(h.id), array_agg(m.more), array_agg(0), array_agg(0), array_agg(0), array_agg(0), false)
    FROM (SELECT host, count(*)::integer AS more FROM unnest(hosts, states) AS s (host, state) WHERE state = 0 GROUP BY host) m
    JOIN queue_hosts h ON h.queue = q.key AND h.name = m.host;
END $$;`;

/** Gives back what a run that has ended has leased. Skips a run whose late call is still executed. */
export const GIVE_BACK = `
CREATE FUNCTION queue_give_back(gone integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  q integer := (SELECT queue FROM queue_takers WHERE id = gone FOR UPDATE SKIP LOCKED);
  given integer[];
  given_hosts integer[];
BEGIN
  IF q IS NULL THEN RETURN; END IF;
  WITH back AS (
    UPDATE queue_requests SET state = 'w', taker = NULL, lease = NULL, due_at = NULL WHERE taker = gone AND state = 'l'
    RETURNING host)
  SELECT array_agg(b.host), array_agg(b.more) INTO given_hosts, given
    FROM (SELECT host, count(*)::integer AS more FROM back GROUP BY host) b;
  IF given IS NOT NULL THEN
    UPDATE queues SET waiting = waiting + m.more, leased = leased - m.more
      FROM (SELECT sum(more) AS more FROM unnest(given) AS g (more)) m WHERE key = q;
    PERFORM queue_count_hosts(given_hosts, given, array_fill(0, ARRAY[cardinality(given)]),
      ARRAY(SELECT -more FROM unnest(given) WITH ORDINALITY AS g (more, n) ORDER BY n), array_fill(0, ARRAY[cardinality(given)]),
      array_fill(0, ARRAY[cardinality(given)]), false);
  END IF;
  DELETE FROM queue_takers WHERE id = gone;
END $$;`;

/**
 * Leases up to `most` requests for a run: those whose delay is over, then those of the hosts in turn. A take with the number
 * of an earlier one returns what that one has leased.
 */
export const TAKE = `
CREATE FUNCTION queue_take(owner uuid, queue_name text, run uuid, take integer, most integer, most_leased integer,
  OUT requests json, OUT leased bigint, OUT due_ms bigint) LANGUAGE plpgsql AS $$
DECLARE
  q integer := (SELECT key FROM queues WHERE owner_id = owner AND name = queue_name AND deleted_at IS NULL);
  t queue_takers;
  left_over integer;
  found_rows integer;
  found_bytes bigint;
  -- The answer must fit into a call. The last request may exceed this.
  bytes_left bigint := 384 * 1024;
  has_given_back boolean := false;
  was_delayed integer;
BEGIN
  requests := '[]';
  leased := 0;
  IF q IS NULL THEN RETURN; END IF;
  INSERT INTO queue_takers (queue, execution_id) VALUES (q, run) ON CONFLICT DO NOTHING;
  SELECT * INTO t FROM queue_takers WHERE queue = q AND execution_id = run FOR UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  IF take > t.last_take THEN
    most := least(most, most_leased - t.leased);
    left_over := most;
    WITH due AS (
      SELECT fingerprint FROM (
        SELECT d.fingerprint, sum(d.size) OVER (ORDER BY d.due_at, d.fingerprint) - d.size AS before FROM (
          SELECT r.fingerprint, r.due_at, 100 + octet_length(r.url) + coalesce(octet_length(r.data), 0) AS size
          FROM queue_requests r WHERE r.queue = q AND r.state = 'd' AND r.due_at <= now()
          ORDER BY r.due_at LIMIT greatest(most, 0) FOR UPDATE SKIP LOCKED) d) sized
      WHERE before < bytes_left),
    taken AS (
      UPDATE queue_requests r SET state = 'l', taker = t.id, lease = take FROM due
      WHERE r.queue = q AND r.fingerprint = due.fingerprint
      RETURNING 100 + octet_length(r.url) + coalesce(octet_length(r.data), 0) AS size)
    SELECT count(*), coalesce(sum(size), 0) INTO found_rows, found_bytes FROM taken;
    left_over := left_over - found_rows;
    bytes_left := bytes_left - found_bytes;
    WHILE left_over > 0 AND bytes_left > 0 LOOP
      WITH hosts AS MATERIALIZED (
        SELECT id FROM queue_hosts h WHERE h.queue = q AND h.waiting > 0 ORDER BY h.turn LIMIT left_over),
      picked AS (
        SELECT fingerprint FROM (
          SELECT p.fingerprint, sum(p.size) OVER (ORDER BY p.rank, p.fingerprint) - p.size AS before,
            row_number() OVER (ORDER BY p.rank, p.fingerprint) AS nth
          FROM hosts CROSS JOIN LATERAL (
            SELECT r.fingerprint, r.rank, 100 + octet_length(r.url) + coalesce(octet_length(r.data), 0) AS size
            FROM queue_requests r WHERE r.queue = q AND r.host = hosts.id AND r.state = 'w' ORDER BY r.rank
            LIMIT (SELECT (left_over + count(*) - 1) / greatest(count(*), 1) FROM hosts) FOR UPDATE SKIP LOCKED) p) sized
        WHERE before < bytes_left AND nth <= left_over),
      taken AS (
        UPDATE queue_requests r SET state = 'l', taker = t.id, lease = take FROM picked
        WHERE r.queue = q AND r.fingerprint = picked.fingerprint
        RETURNING 100 + octet_length(r.url) + coalesce(octet_length(r.data), 0) AS size)
      SELECT count(*), coalesce(sum(size), 0) INTO found_rows, found_bytes FROM taken;
      left_over := left_over - found_rows;
      bytes_left := bytes_left - found_bytes;
      IF found_rows = 0 THEN
        EXIT WHEN has_given_back OR left_over < most;
        has_given_back := true;
        PERFORM queue_give_back(g.id) FROM queue_takers g
          WHERE g.queue = q AND g.id <> t.id AND NOT EXISTS (SELECT FROM live_runs l WHERE l.execution_id = g.execution_id);
      END IF;
    END LOOP;
    IF most > left_over THEN
      was_delayed := (SELECT count(*) FROM queue_requests r WHERE r.taker = t.id AND r.lease = take AND r.state = 'l' AND r.due_at IS NOT NULL);
      UPDATE queues SET waiting = queues.waiting - (most - left_over - was_delayed), delayed = queues.delayed - was_delayed,
        leased = queues.leased + (most - left_over), updated_at = now() WHERE key = q;
      PERFORM queue_count_hosts(array_agg(m.host), array_agg(m.w), array_agg(m.d), array_agg(m.l), array_agg(0), array_agg(0), true)
        FROM (SELECT r.host, -count(*) FILTER (WHERE r.due_at IS NULL)::integer AS w, -count(r.due_at)::integer AS d, count(*)::integer AS l
          FROM queue_requests r WHERE r.taker = t.id AND r.lease = take AND r.state = 'l' GROUP BY r.host) m;
    END IF;
    UPDATE queue_takers SET last_take = take, leased = t.leased + (most - left_over) WHERE id = t.id;
  END IF;
  SELECT coalesce(json_agg(json_build_object('id', r.fingerprint, 'url', r.url, 'data', r.data, 'retries', r.retries) ORDER BY r.rank), '[]')
    INTO requests FROM queue_requests r WHERE r.taker = t.id AND r.lease = take AND r.state = 'l';
  leased := (SELECT o.leased FROM queues o WHERE o.key = q);
  due_ms := (SELECT greatest(0, ceil(extract(epoch FROM r.due_at - clock_timestamp()) * 1000)) FROM queue_requests r
    WHERE r.queue = q AND r.state = 'd' ORDER BY r.due_at LIMIT 1);
END $$;`;

/** Settles requests that a run has leased. What it no longer leases stays as it is, so a repeated call changes nothing. */
export const SETTLE = `
CREATE FUNCTION queue_settle(owner uuid, queue_name text, run uuid, fingerprints uuid[], leases integer[], new_states "char"[],
  delays bigint[], errors text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  q integer := (SELECT key FROM queues WHERE owner_id = owner AND name = queue_name AND deleted_at IS NULL);
  t queue_takers;
  counts record;
BEGIN
  SELECT * INTO t FROM queue_takers WHERE queue = q AND execution_id = run FOR UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  WITH settled AS (
    SELECT r.fingerprint, s.state, s.delay, s.error, r.host,
      CASE WHEN s.state = 'x' THEN -coalesce(octet_length(r.data), 0) ELSE 0 END
        + coalesce(octet_length(CASE WHEN s.state <> 'x' THEN coalesce(s.error, r.error) END), 0)
        - coalesce(octet_length(r.error), 0) AS bytes
    FROM unnest(fingerprints, leases, new_states, delays, errors) AS s (fingerprint, lease, state, delay, error)
    JOIN queue_requests r ON r.queue = q AND r.fingerprint = s.fingerprint AND r.taker = t.id AND r.lease = s.lease AND r.state = 'l'),
  changed AS (
    UPDATE queue_requests r SET state = s.state, taker = NULL, lease = NULL,
      due_at = CASE WHEN s.state = 'd' THEN now() + s.delay * interval '1 ms' END,
      retries = r.retries + (s.state = 'd')::integer,
      data = CASE WHEN s.state <> 'x' THEN r.data END, error = CASE WHEN s.state <> 'x' THEN coalesce(s.error, r.error) END
    FROM settled s WHERE r.queue = q AND r.fingerprint = s.fingerprint
    RETURNING s.host, s.state, s.bytes),
  by_host AS (
    SELECT host, count(*) FILTER (WHERE state = 'w')::integer AS w, count(*) FILTER (WHERE state = 'd')::integer AS d,
      -count(*)::integer AS l, count(*) FILTER (WHERE state = 'x')::integer AS x, count(*) FILTER (WHERE state = 'f')::integer AS f,
      sum(bytes) AS bytes
    FROM changed GROUP BY host)
  SELECT array_agg(host) AS hosts, array_agg(w) AS w, array_agg(d) AS d, array_agg(l) AS l, array_agg(x) AS x, array_agg(f) AS f,
    sum(w) AS waiting, sum(d) AS delayed, sum(l) AS leased, sum(x) AS done, sum(f) AS failed, sum(bytes) AS bytes INTO counts FROM by_host;
  IF counts.hosts IS NULL THEN RETURN; END IF;
  UPDATE queue_takers SET leased = leased + counts.leased WHERE id = t.id;
  UPDATE queues SET waiting = waiting + counts.waiting, delayed = delayed + counts.delayed, leased = leased + counts.leased,
    done = done + counts.done, failed = failed + counts.failed, bytes = bytes + counts.bytes, updated_at = now() WHERE key = q;
  PERFORM queue_count_hosts(counts.hosts, counts.w, counts.d, counts.l, counts.x, counts.f, false);
END $$;`;
