import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * An add gets each host once, and for each request the number of its host. So it looks up a host once for all its requests.
 * It looks for requests that the call contains twice only if the backend has seen some. Only backends of the previous
 * version call `queue_add`.
 */
export class HostsOfAddedRequests1795510110000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(ADD);
    // PostgreSQL plans the statements while the tables are small, and keeps the plans.
    for (const way of ['hashjoin', 'mergejoin', 'seqscan'])
      await queryRunner.query(`ALTER FUNCTION queue_add_requests SET enable_${way} = off`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP FUNCTION queue_add_requests');
  }
}

/**
 * Adds requests that the queue does not know, and returns for each whether it was new (0), known (1) or known and done
 * (2); null if the queue, or the account, would have too many. Adds of a queue follow each other. `host_of` has the
 * number of each host in `hosts`, from 1. With `has_repeats`, some fingerprints are equal.
 */
export const ADD = `
CREATE FUNCTION queue_add_requests(owner uuid, queue_name text, new_id uuid, fingerprints uuid[], urls text[], hosts text[], host_of integer[],
  datas text[], has_repeats boolean, first_rank bigint, is_front boolean, overhead integer, most_requests bigint, most_queues integer,
  OUT states smallint[], OUT refusal text)
LANGUAGE plpgsql AS $$
DECLARE
  q queues;
  place bigint := nextval('queue_places');
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
  states := ARRAY(SELECT CASE WHEN r.state IS NULL THEN 0 WHEN r.state = 'x' THEN 2 ELSE 1 END
    FROM unnest(fingerprints) WITH ORDINALITY AS s (fingerprint, n)
    LEFT JOIN LATERAL (
      SELECT k.state FROM queue_requests k WHERE k.queue = q.key AND k.fingerprint = s.fingerprint LIMIT 1) r ON true
    ORDER BY s.n);
  IF has_repeats THEN
    -- The first of equal requests is new.
    states := (SELECT array_agg(CASE WHEN state = 0 AND nth > 1 THEN 1 ELSE state END ORDER BY n)
      FROM (SELECT s.*, row_number() OVER (PARTITION BY fingerprint ORDER BY n) AS nth
        FROM unnest(fingerprints, states) WITH ORDINALITY AS s (fingerprint, state, n)) numbered);
  END IF;
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
  ids := ARRAY(SELECT (SELECT h.id FROM queue_hosts h WHERE h.queue = q.key AND h.name = s.name)
    FROM unnest(hosts) WITH ORDINALITY AS s (name, n) ORDER BY s.n);
  IF array_position(ids, NULL) IS NOT NULL THEN
    WITH new_hosts AS (
      INSERT INTO queue_hosts (queue, id, name)
      SELECT q.key, (SELECT coalesce(max(id), 0) FROM queue_hosts WHERE queue = q.key) + row_number() OVER (), hosts[s.host]
      FROM (SELECT DISTINCT host FROM unnest(host_of, states) AS u (host, state) WHERE state = 0 AND ids[host] IS NULL) s
      RETURNING name)
    SELECT coalesce(sum(overhead + octet_length(name)), 0) INTO added_bytes FROM new_hosts;
    ids := ARRAY(SELECT (SELECT h.id FROM queue_hosts h WHERE h.queue = q.key AND h.name = s.name)
      FROM unnest(hosts) WITH ORDINALITY AS s (name, n) ORDER BY s.n);
  END IF;
  WITH stored AS (
    INSERT INTO queue_requests (queue, fingerprint, host, rank, url, data)
    SELECT q.key, s.fingerprint, ids[s.host], first_rank + s.n + CASE WHEN is_front THEN -place ELSE place END, s.url, s.data
    FROM unnest(fingerprints, urls, host_of, datas, states) WITH ORDINALITY AS s (fingerprint, url, host, data, state, n)
    WHERE s.state = 0
    RETURNING queue_requests.host, overhead + octet_length(queue_requests.url) + coalesce(octet_length(queue_requests.data), 0) AS bytes),
  by_host AS (SELECT host, count(*)::integer AS more, sum(bytes) AS bytes FROM stored GROUP BY host)
  SELECT added_bytes + sum(bytes), array_agg(host), array_agg(more) INTO added_bytes, host_ids, more_of_hosts FROM by_host;
  UPDATE queues SET waiting = waiting + added, bytes = bytes + added_bytes, updated_at = now() WHERE key = q.key;
  none := array_fill(0, ARRAY[cardinality(host_ids)]);
  PERFORM queue_count_hosts(q.key, host_ids, more_of_hosts, none, none, none, none, false);
END $$;`;
