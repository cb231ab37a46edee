import type { MigrationInterface, QueryRunner } from 'typeorm';
import { changeSql } from '../change-sql.js';
import { ADD as EARLIER_QUEUE_ADD } from './1795508000000-ids-of-queue-hosts.js';
import { ADD as EARLIER_ADD } from './1795510110000-hosts-of-added-requests.js';

/**
 * Adds to a queue no longer follow each other, and takes no longer wait for them: an add locks the queue only at its end,
 * to count its requests. Its insert finds out which requests are known.
 *
 * All functions of queues lock requests first, then the queue, then its hosts. Adds insert requests in the order of their
 * fingerprints, so that two with the same requests do not wait for each other.
 *
 * Backends of previous versions call `queue_add` or give `has_repeats`, which is no longer used.
 */
export class AddsBesideEachOther1795510120000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await replace(queryRunner, [ADD, QUEUE_ADD]);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await replace(queryRunner, [
      changeSql(EARLIER_ADD, [['CREATE FUNCTION', 'CREATE OR REPLACE FUNCTION']]),
      EARLIER_QUEUE_ADD,
    ]);
  }
}

async function replace(queryRunner: QueryRunner, definitions: string[]): Promise<void> {
  for (const definition of definitions) await queryRunner.query(definition);
  // PostgreSQL plans the statements while the tables are small, and keeps the plans.
  for (const name of ['queue_add_requests', 'queue_add']) {
    for (const way of ['hashjoin', 'mergejoin', 'seqscan'])
      await queryRunner.query(`ALTER FUNCTION ${name} SET enable_${way} = off`);
  }
}

const LOCKED = 'deleted_at IS NULL FOR UPDATE;';

/** `datas` may be null. */
const ADD = changeSql(EARLIER_ADD, [
  ['CREATE FUNCTION', 'CREATE OR REPLACE FUNCTION'],
  ['  ids integer[];', '  ids integer[];\n  new_hosts integer[];'],
  [LOCKED, 'deleted_at IS NULL;'],
  [LOCKED, 'deleted_at IS NULL;'],
  [
    / {2}states := ARRAY.*END \$\$;/s,
    `  ids := ARRAY(SELECT (SELECT h.id FROM queue_hosts h WHERE h.queue = q.key AND h.name = s.name)
    FROM unnest(hosts) WITH ORDINALITY AS s (name, n) ORDER BY s.n);
  IF array_position(ids, NULL) IS NOT NULL THEN
    -- Until the end, because hosts get the next ids of the queue.
    PERFORM pg_advisory_xact_lock(hashtext('queue_hosts'), q.key);
    WITH inserted AS (
      INSERT INTO queue_hosts (queue, id, name)
      SELECT q.key, (SELECT coalesce(max(id), 0) FROM queue_hosts WHERE queue = q.key) + row_number() OVER (), s.name
      FROM unnest(hosts) AS s (name)
      WHERE (SELECT h.id FROM queue_hosts h WHERE h.queue = q.key AND h.name = s.name) IS NULL
      RETURNING id)
    SELECT array_agg(id) INTO new_hosts FROM inserted;
    ids := ARRAY(SELECT (SELECT h.id FROM queue_hosts h WHERE h.queue = q.key AND h.name = s.name)
      FROM unnest(hosts) WITH ORDINALITY AS s (name, n) ORDER BY s.n);
  END IF;
  INSERT INTO queue_requests (queue, fingerprint, host, rank, url, data)
    SELECT q.key, s.fingerprint, ids[s.host], first_rank + s.n + CASE WHEN is_front THEN -place ELSE place END, s.url, s.data
    FROM unnest(fingerprints, urls, host_of, datas) WITH ORDINALITY AS s (fingerprint, url, host, data, n)
    ORDER BY s.fingerprint, s.n
    ON CONFLICT DO NOTHING;
  GET DIAGNOSTICS added = ROW_COUNT;
  IF added = cardinality(fingerprints) THEN
    states := array_fill(0::smallint, ARRAY[added]);
  ELSE
    -- The first of equal requests is new.
    states := ARRAY(SELECT CASE WHEN r.is_new AND s.nth = 1 THEN 0 WHEN r.state = 'x' THEN 2 ELSE 1 END
      FROM (SELECT u.fingerprint, u.n, row_number() OVER (PARTITION BY u.fingerprint ORDER BY u.n) AS nth
        FROM unnest(fingerprints) WITH ORDINALITY AS u (fingerprint, n)) s
      LEFT JOIN LATERAL (
        SELECT k.state, k.xmin = pg_current_xact_id()::xid AS is_new
        FROM queue_requests k WHERE k.queue = q.key AND k.fingerprint = s.fingerprint LIMIT 1) r ON true
      ORDER BY s.n);
    SELECT array_agg(s.url), array_agg(s.host), array_agg(s.data) INTO urls, host_of, datas
      FROM unnest(urls, host_of, datas, states) AS s (url, host, data, state) WHERE s.state = 0;
  END IF;
  SELECT coalesce(sum(m.bytes), 0), array_agg(m.host), array_agg(m.more) INTO added_bytes, host_ids, more_of_hosts
    FROM (SELECT ids[s.host] AS host, count(*)::integer AS more,
        sum(overhead + octet_length(s.url) + coalesce(octet_length(s.data), 0)) AS bytes
      FROM unnest(urls, host_of, datas) AS s (url, host, data) GROUP BY 1) m;
  IF new_hosts IS NOT NULL THEN
    -- Hosts that only known requests name.
    DELETE FROM queue_hosts h WHERE h.queue = q.key AND h.id = ANY (new_hosts) AND h.id <> ALL (coalesce(host_ids, '{}'));
    added_bytes := added_bytes + (SELECT coalesce(sum(overhead + octet_length(h.name)), 0) FROM queue_hosts h
      WHERE h.queue = q.key AND h.id = ANY (new_hosts));
  END IF;
  UPDATE queues SET waiting = waiting + added, bytes = bytes + added_bytes, updated_at = now()
    WHERE key = q.key AND deleted_at IS NULL
      AND (added = 0 OR waiting + delayed + leased + done + failed + added <= most_requests);
  IF NOT FOUND THEN
    DELETE FROM queue_requests k
      WHERE k.queue = q.key AND k.fingerprint = ANY (fingerprints) AND k.xmin = pg_current_xact_id()::xid;
    DELETE FROM queue_hosts h WHERE h.queue = q.key AND h.id = ANY (new_hosts);
    states := NULL;
    refusal := (SELECT 'requests' FROM queues WHERE key = q.key AND deleted_at IS NULL);
    RETURN;
  END IF;
  IF added = 0 THEN RETURN; END IF;
  none := array_fill(0, ARRAY[cardinality(host_ids)]);
  PERFORM queue_count_hosts(q.key, host_ids, more_of_hosts, none, none, none, none, false);
END $$;`,
  ],
]);

const QUEUE_ADD = `
CREATE OR REPLACE FUNCTION queue_add(owner uuid, queue_name text, new_id uuid, fingerprints uuid[], urls text[], hosts text[], datas text[],
  first_rank bigint, is_front boolean, overhead integer, most_requests bigint, most_queues integer, OUT states smallint[], OUT refusal text)
LANGUAGE sql AS $$
  SELECT r.states, r.refusal
  FROM (SELECT ARRAY(SELECT DISTINCT u.host FROM unnest(hosts) AS u (host)) AS names) d
  CROSS JOIN LATERAL queue_add_requests(owner, queue_name, new_id, fingerprints, urls, d.names,
    ARRAY(SELECT array_position(d.names, u.host) FROM unnest(hosts) WITH ORDINALITY AS u (host, n) ORDER BY u.n),
    datas, true, first_rank, is_front, overhead, most_requests, most_queues) r
$$;`;
