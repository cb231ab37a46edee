import type { MigrationInterface, QueryRunner } from 'typeorm';
import {
  ADD as EARLIER_ADD,
  GIVE_BACK as EARLIER_GIVE_BACK,
  SETTLE as EARLIER_SETTLE,
  TAKE as EARLIER_TAKE,
} from './1795489000000-queues.js';

/**
 * A request that a run leaves when it dies names the run, and when it was taken first. So the next run that takes the
 * request finds and deletes the rows that the dead run has stored for it. A queue counts what was done in this minute and
 * in the one before.
 *
 * PostgreSQL plans the statements of the functions while the tables are small, and keeps the plans. So the statements leave
 * it no choice: they look up each request and each host in a unique index, or by `ctid`, and the functions turn off other
 * ways to join.
 */
export class RequestsLeftByRuns1795503100000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE queue_requests ADD IF NOT EXISTS taken_at timestamptz, ADD IF NOT EXISTS left_by uuid[];
      ALTER TABLE queues ADD minute bigint NOT NULL DEFAULT 0, ADD done_in_minute integer NOT NULL DEFAULT 0,
        ADD done_before integer NOT NULL DEFAULT 0`);
    for (const definition of [ADD, GIVE_BACK, TAKE, SETTLE]) await queryRunner.query(definition);
    await planInOneWay(queryRunner);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP FUNCTION queue_add, queue_give_back, queue_take, queue_settle');
    for (const earlier of [EARLIER_ADD, EARLIER_GIVE_BACK, EARLIER_TAKE, EARLIER_SETTLE])
      await queryRunner.query(earlier);
    await queryRunner.query(`
      ALTER FUNCTION queue_count_hosts RESET ALL;
      ALTER TABLE queue_requests DROP taken_at, DROP left_by;
      ALTER TABLE queues DROP minute, DROP done_in_minute, DROP done_before`);
  }
}

const FUNCTIONS = ['queue_add', 'queue_take', 'queue_settle', 'queue_give_back', 'queue_count_hosts'];

/** Turns off other ways to join and to scan in all functions of queues. */
export async function planInOneWay(queryRunner: QueryRunner): Promise<void> {
  for (const name of FUNCTIONS) {
    for (const way of ['hashjoin', 'mergejoin', 'seqscan'])
      await queryRunner.query(`ALTER FUNCTION ${name} SET enable_${way} = off`);
  }
}

/**
 * Adds requests that the queue does not know, and returns for each whether it was new (0), known (1) or known and done
 * (2); null if the queue, or the account, would have too many. Adds of a queue follow each other.
 */
export const ADD = `
CREATE OR REPLACE FUNCTION queue_add(owner uuid, queue_name text, new_id uuid, fingerprints uuid[], urls text[], hosts text[], datas text[],
  first_rank bigint, is_front boolean, overhead integer, most_requests bigint, most_queues integer, OUT states smallint[], OUT refusal text)
LANGUAGE plpgsql AS $$
DECLARE
  q queues;
  place bigint := nextval('queue_places');
  added integer;
  added_bytes bigint;
  host_ids integer[];
  more_of_hosts integer[];
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
    LEFT JOIN LATERAL (
      SELECT k.state FROM queue_requests k WHERE k.queue = q.key AND k.fingerprint = s.fingerprint LIMIT 1) r ON true;
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
  -- The first of two equal requests of a call is new.
  states := (SELECT array_agg(CASE WHEN state = 0 AND nth > 1 THEN 1 ELSE state END ORDER BY n)
    FROM (SELECT s.*, row_number() OVER (PARTITION BY fingerprint ORDER BY n) AS nth
      FROM unnest(fingerprints, states) WITH ORDINALITY AS s (fingerprint, state, n)) numbered);
  WITH new_hosts AS (
    INSERT INTO queue_hosts (queue, name)
    SELECT q.key, s.host FROM (SELECT DISTINCT host FROM unnest(hosts, states) AS u (host, state) WHERE state = 0) s
    WHERE (SELECT h.id FROM queue_hosts h WHERE h.queue = q.key AND h.name = s.host) IS NULL
    RETURNING name)
  SELECT coalesce(sum(overhead + octet_length(name)), 0) INTO added_bytes FROM new_hosts;
  WITH stored AS (
    INSERT INTO queue_requests (queue, fingerprint, host, rank, url, data)
    SELECT q.key, s.fingerprint, (SELECT h.id FROM queue_hosts h WHERE h.queue = q.key AND h.name = s.host),
      first_rank + s.n + CASE WHEN is_front THEN -place ELSE place END, s.url, s.data
    FROM unnest(fingerprints, urls, hosts, datas, states) WITH ORDINALITY AS s (fingerprint, url, host, data, state, n)
    WHERE s.state = 0
    RETURNING queue_requests.host, overhead + octet_length(queue_requests.url) + coalesce(octet_length(queue_requests.data), 0) AS bytes),
  by_host AS (SELECT host, count(*)::integer AS more, sum(bytes) AS bytes FROM stored GROUP BY host)
  SELECT sum(more), added_bytes + sum(bytes), array_agg(host), array_agg(more) INTO added, added_bytes, host_ids, more_of_hosts
    FROM by_host;
  UPDATE queues SET waiting = waiting + added, bytes = bytes + added_bytes, updated_at = now() WHERE key = q.key;
  PERFORM queue_count_hosts(host_ids, more_of_hosts, array_fill(0, ARRAY[cardinality(host_ids)]),
    array_fill(0, ARRAY[cardinality(host_ids)]), array_fill(0, ARRAY[cardinality(host_ids)]),
    array_fill(0, ARRAY[cardinality(host_ids)]), false);
END $$;`;

/** Gives back what a run that has ended has leased. Skips a run whose late call is still executed. */
export const GIVE_BACK = `
CREATE OR REPLACE FUNCTION queue_give_back(gone integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  q integer;
  run uuid;
  given integer[];
  given_hosts integer[];
BEGIN
  SELECT queue, execution_id INTO q, run FROM queue_takers WHERE id = gone FOR UPDATE SKIP LOCKED;
  IF q IS NULL THEN RETURN; END IF;
  WITH back AS (
    UPDATE queue_requests SET state = 'w', taker = NULL, lease = NULL, due_at = NULL, left_by = array_append(left_by, run)
    WHERE taker = gone AND state = 'l'
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
CREATE OR REPLACE FUNCTION queue_take(owner uuid, queue_name text, run uuid, take integer, most integer, most_leased integer,
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
  SELECT * INTO t FROM queue_takers WHERE queue = q AND execution_id = run FOR UPDATE;
  IF NOT FOUND THEN
    -- Not at each take, because an insert that meets a conflict uses up an id, too.
    INSERT INTO queue_takers (queue, execution_id) VALUES (q, run) ON CONFLICT DO NOTHING;
    SELECT * INTO t FROM queue_takers WHERE queue = q AND execution_id = run FOR UPDATE;
    IF NOT FOUND THEN RETURN; END IF;
  END IF;
  IF take > t.last_take THEN
    most := least(most, most_leased - t.leased);
    left_over := most;
    WITH due AS (
      SELECT request FROM (
        SELECT d.request, sum(d.size) OVER (ORDER BY d.due_at, d.fingerprint) - d.size AS before FROM (
          SELECT r.ctid AS request, r.fingerprint, r.due_at, 100 + octet_length(r.url) + coalesce(octet_length(r.data), 0) AS size
          FROM queue_requests r WHERE r.queue = q AND r.state = 'd' AND r.due_at <= now()
          ORDER BY r.due_at LIMIT greatest(most, 0) FOR UPDATE SKIP LOCKED) d) sized
      WHERE before < bytes_left),
    taken AS (
      UPDATE queue_requests r SET state = 'l', taker = t.id, lease = take, taken_at = coalesce(r.taken_at, now()) FROM due
      WHERE r.ctid = due.request
      RETURNING 100 + octet_length(r.url) + coalesce(octet_length(r.data), 0) AS size)
    SELECT count(*), coalesce(sum(size), 0) INTO found_rows, found_bytes FROM taken;
    left_over := left_over - found_rows;
    bytes_left := bytes_left - found_bytes;
    WHILE left_over > 0 AND bytes_left > 0 LOOP
      WITH hosts AS MATERIALIZED (
        SELECT id FROM queue_hosts h WHERE h.queue = q AND h.waiting > 0 ORDER BY h.turn LIMIT left_over),
      picked AS (
        SELECT request FROM (
          SELECT p.request, sum(p.size) OVER (ORDER BY p.rank, p.fingerprint) - p.size AS before,
            row_number() OVER (ORDER BY p.rank, p.fingerprint) AS nth
          FROM hosts CROSS JOIN LATERAL (
            SELECT r.ctid AS request, r.fingerprint, r.rank, 100 + octet_length(r.url) + coalesce(octet_length(r.data), 0) AS size
            FROM queue_requests r WHERE r.queue = q AND r.host = hosts.id AND r.state = 'w' ORDER BY r.rank
            LIMIT (SELECT (left_over + count(*) - 1) / greatest(count(*), 1) FROM hosts) FOR UPDATE SKIP LOCKED) p) sized
        WHERE before < bytes_left AND nth <= left_over),
      taken AS (
        UPDATE queue_requests r SET state = 'l', taker = t.id, lease = take, taken_at = coalesce(r.taken_at, now()) FROM picked
        WHERE r.ctid = picked.request
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
  SELECT coalesce(json_agg(CASE WHEN r.left_by IS NULL
      THEN json_build_object('id', r.fingerprint, 'url', r.url, 'data', r.data, 'retries', r.retries)
      ELSE json_build_object('id', r.fingerprint, 'url', r.url, 'data', r.data, 'retries', r.retries, 'left_by', r.left_by,
        'taken_at', floor(extract(epoch FROM r.taken_at) * 1000)) END ORDER BY r.rank), '[]')
    INTO requests FROM queue_requests r WHERE r.taker = t.id AND r.lease = take AND r.state = 'l';
  leased := (SELECT o.leased FROM queues o WHERE o.key = q);
  due_ms := (SELECT greatest(0, ceil(extract(epoch FROM r.due_at - clock_timestamp()) * 1000)) FROM queue_requests r
    WHERE r.queue = q AND r.state = 'd' ORDER BY r.due_at LIMIT 1);
END $$;`;

/** Settles requests that a run has leased. What it no longer leases stays as it is, so a repeated call changes nothing. */
export const SETTLE = `
CREATE OR REPLACE FUNCTION queue_settle(owner uuid, queue_name text, run uuid, fingerprints uuid[], leases integer[], new_states "char"[],
  delays bigint[], errors text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  q integer := (SELECT key FROM queues WHERE owner_id = owner AND name = queue_name AND deleted_at IS NULL);
  t queue_takers;
  counts record;
  now_minute bigint := floor(extract(epoch FROM now()) / 60);
BEGIN
  SELECT * INTO t FROM queue_takers WHERE queue = q AND execution_id = run FOR UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  WITH settled AS (
    SELECT r.request, s.state, s.delay, s.error, r.host,
      CASE WHEN s.state = 'x' THEN -coalesce(octet_length(r.data), 0) ELSE 0 END
        + coalesce(octet_length(CASE WHEN s.state <> 'x' THEN coalesce(s.error, r.error) END), 0)
        - coalesce(octet_length(r.error), 0) AS bytes
    FROM unnest(fingerprints, leases, new_states, delays, errors) AS s (fingerprint, lease, state, delay, error)
    CROSS JOIN LATERAL (
      SELECT k.ctid AS request, k.host, k.taker, k.lease, k.state, k.data, k.error
      FROM queue_requests k WHERE k.queue = q AND k.fingerprint = s.fingerprint LIMIT 1) r
    WHERE r.taker = t.id AND r.lease = s.lease AND r.state = 'l'),
  changed AS (
    UPDATE queue_requests r SET state = s.state, taker = NULL, lease = NULL, taken_at = NULL, left_by = NULL,
      due_at = CASE WHEN s.state = 'd' THEN now() + s.delay * interval '1 ms' END,
      retries = r.retries + (s.state = 'd')::integer,
      data = CASE WHEN s.state <> 'x' THEN r.data END, error = CASE WHEN s.state <> 'x' THEN coalesce(s.error, r.error) END
    FROM settled s WHERE r.ctid = s.request
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
    done = done + counts.done, failed = failed + counts.failed, bytes = bytes + counts.bytes, updated_at = now(),
    minute = now_minute, done_in_minute = counts.done + CASE WHEN minute = now_minute THEN done_in_minute ELSE 0 END,
    done_before = CASE minute WHEN now_minute THEN done_before WHEN now_minute - 1 THEN done_in_minute ELSE 0 END
  WHERE key = q;
  PERFORM queue_count_hosts(counts.hosts, counts.w, counts.d, counts.l, counts.x, counts.f, false);
END $$;`;
