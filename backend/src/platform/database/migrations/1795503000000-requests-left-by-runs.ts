import type { MigrationInterface, QueryRunner } from 'typeorm';
import {
  GIVE_BACK as EARLIER_GIVE_BACK,
  SETTLE as EARLIER_SETTLE,
  TAKE as EARLIER_TAKE,
} from './1795489000000-queues.js';

/**
 * A request that a run leaves when it dies names the run, and when it was taken first. So the next run that takes the
 * request finds and deletes the rows that the dead run has stored for it.
 */
export class RequestsLeftByRuns1795503000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE queue_requests ADD taken_at timestamptz, ADD left_by uuid[]');
    for (const definition of [GIVE_BACK, TAKE, SETTLE]) await queryRunner.query(definition);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP FUNCTION queue_give_back, queue_take, queue_settle');
    for (const earlier of [EARLIER_GIVE_BACK, EARLIER_TAKE, EARLIER_SETTLE]) await queryRunner.query(earlier);
    await queryRunner.query('ALTER TABLE queue_requests DROP taken_at, DROP left_by');
  }
}

/** Gives back what a run that has ended has leased. Skips a run whose late call is still executed. */
const GIVE_BACK = `
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
const TAKE = `
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
      UPDATE queue_requests r SET state = 'l', taker = t.id, lease = take, taken_at = coalesce(r.taken_at, now()) FROM due
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
        UPDATE queue_requests r SET state = 'l', taker = t.id, lease = take, taken_at = coalesce(r.taken_at, now()) FROM picked
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
const SETTLE = `
CREATE OR REPLACE FUNCTION queue_settle(owner uuid, queue_name text, run uuid, fingerprints uuid[], leases integer[], new_states "char"[],
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
    UPDATE queue_requests r SET state = s.state, taker = NULL, lease = NULL, taken_at = NULL, left_by = NULL,
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
