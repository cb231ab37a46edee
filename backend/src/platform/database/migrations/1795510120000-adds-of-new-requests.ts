import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ADD as EARLIER_ADD } from './1795510110000-hosts-of-added-requests.js';

/**
 * An add whose requests are all new asks once for known ones, and copies no states. It counts requests and bytes before it
 * inserts, because rows that an insert returns are stored once more.
 */
export class AddsOfNewRequests1795510120000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await replaceAdd(queryRunner, ADD);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await replaceAdd(queryRunner, EARLIER_ADD.replace('CREATE FUNCTION', 'CREATE OR REPLACE FUNCTION'));
  }
}

async function replaceAdd(queryRunner: QueryRunner, definition: string): Promise<void> {
  await queryRunner.query(definition);
  // PostgreSQL plans the statements while the tables are small, and keeps the plans.
  for (const way of ['hashjoin', 'mergejoin', 'seqscan'])
    await queryRunner.query(`ALTER FUNCTION queue_add_requests SET enable_${way} = off`);
}

/**
 * Adds requests that the queue does not know, and returns for each whether it was new (0), known (1) or known and done
 * (2); null if the queue, or the account, would have too many. Adds of a queue follow each other. `host_of` has the
 * number of each host in `hosts`, from 1. With `has_repeats`, some fingerprints are equal. `datas` may be null.
 */
const ADD = `
CREATE OR REPLACE FUNCTION queue_add_requests(owner uuid, queue_name text, new_id uuid, fingerprints uuid[], urls text[], hosts text[], host_of integer[],
  datas text[], has_repeats boolean, first_rank bigint, is_front boolean, overhead integer, most_requests bigint, most_queues integer,
  OUT states smallint[], OUT refusal text)
LANGUAGE plpgsql AS $$
DECLARE
  q queues;
  place bigint := nextval('queue_places');
  is_all_new boolean;
  added integer;
  added_bytes bigint := 0;
  ids integer[];
  host_ids integer[];
  more_of_hosts integer[];
  none integer[];
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
  is_all_new := NOT has_repeats
    AND NOT EXISTS (SELECT FROM queue_requests k WHERE k.queue = q.key AND k.fingerprint = ANY (fingerprints));
  IF is_all_new THEN
    states := array_fill(0::smallint, ARRAY[cardinality(fingerprints)]);
  ELSE
    -- The first of equal requests is new.
    states := ARRAY(SELECT CASE WHEN r.state = 'x' THEN 2 WHEN r.state IS NOT NULL OR s.nth > 1 THEN 1 ELSE 0 END
      FROM (SELECT u.fingerprint, u.n, row_number() OVER (PARTITION BY u.fingerprint ORDER BY u.n) AS nth
        FROM unnest(fingerprints) WITH ORDINALITY AS u (fingerprint, n)) s
      LEFT JOIN LATERAL (
        SELECT k.state FROM queue_requests k WHERE k.queue = q.key AND k.fingerprint = s.fingerprint LIMIT 1) r ON true
      ORDER BY s.n);
  END IF;
  added := cardinality(array_positions(states, 0::smallint));
  IF q.waiting + q.delayed + q.leased + q.done + q.failed + added > most_requests THEN
    states := NULL;
    refusal := 'requests';
    RETURN;
  END IF;
  IF added = 0 THEN
    UPDATE queues SET updated_at = now() WHERE key = q.key;
    RETURN;
  END IF;
  IF NOT is_all_new THEN
    SELECT array_agg(s.fingerprint ORDER BY s.n), array_agg(s.url ORDER BY s.n), array_agg(s.host ORDER BY s.n), array_agg(s.data ORDER BY s.n)
      INTO fingerprints, urls, host_of, datas
      FROM unnest(fingerprints, urls, host_of, datas, states) WITH ORDINALITY AS s (fingerprint, url, host, data, state, n)
      WHERE s.state = 0;
  END IF;
  ids := ARRAY(SELECT (SELECT h.id FROM queue_hosts h WHERE h.queue = q.key AND h.name = s.name)
    FROM unnest(hosts) WITH ORDINALITY AS s (name, n) ORDER BY s.n);
  IF array_position(ids, NULL) IS NOT NULL THEN
    WITH new_hosts AS (
      INSERT INTO queue_hosts (queue, id, name)
      SELECT q.key, (SELECT coalesce(max(id), 0) FROM queue_hosts WHERE queue = q.key) + row_number() OVER (), hosts[s.host]
      FROM (SELECT DISTINCT u.host FROM unnest(host_of) AS u (host) WHERE ids[u.host] IS NULL) s
      RETURNING name)
    SELECT coalesce(sum(overhead + octet_length(name)), 0) INTO added_bytes FROM new_hosts;
    ids := ARRAY(SELECT (SELECT h.id FROM queue_hosts h WHERE h.queue = q.key AND h.name = s.name)
      FROM unnest(hosts) WITH ORDINALITY AS s (name, n) ORDER BY s.n);
  END IF;
  SELECT added_bytes + sum(m.bytes), array_agg(m.host), array_agg(m.more) INTO added_bytes, host_ids, more_of_hosts
    FROM (SELECT ids[s.host] AS host, count(*)::integer AS more,
        sum(overhead + octet_length(s.url) + coalesce(octet_length(s.data), 0)) AS bytes
      FROM unnest(urls, host_of, datas) AS s (url, host, data) GROUP BY 1) m;
  INSERT INTO queue_requests (queue, fingerprint, host, rank, url, data)
    SELECT q.key, s.fingerprint, ids[s.host], first_rank + s.n + CASE WHEN is_front THEN -place ELSE place END, s.url, s.data
    FROM unnest(fingerprints, urls, host_of, datas) WITH ORDINALITY AS s (fingerprint, url, host, data, n);
  UPDATE queues SET waiting = waiting + added, bytes = bytes + added_bytes, updated_at = now() WHERE key = q.key;
  none := array_fill(0, ARRAY[cardinality(host_ids)]);
  PERFORM queue_count_hosts(q.key, host_ids, more_of_hosts, none, none, none, none, false);
END $$;`;
