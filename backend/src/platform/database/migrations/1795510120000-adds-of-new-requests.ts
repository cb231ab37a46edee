import type { MigrationInterface, QueryRunner } from 'typeorm';
import { changeSql } from '../change-sql.js';
import { ADD as EARLIER_ADD } from './1795510110000-hosts-of-added-requests.js';

/**
 * An add whose requests are all new asks once for known ones, and copies no states. It counts requests and bytes before it
 * inserts, because rows that an insert returns are stored once more. `datas` may be null.
 */
export class AddsOfNewRequests1795510120000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await replaceAdd(queryRunner, ADD);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await replaceAdd(queryRunner, changeSql(EARLIER_ADD, [['CREATE FUNCTION', 'CREATE OR REPLACE FUNCTION']]));
  }
}

async function replaceAdd(queryRunner: QueryRunner, definition: string): Promise<void> {
  await queryRunner.query(definition);
  // PostgreSQL plans the statements while the tables are small, and keeps the plans.
  for (const way of ['hashjoin', 'mergejoin', 'seqscan'])
    await queryRunner.query(`ALTER FUNCTION queue_add_requests SET enable_${way} = off`);
}

const ADD = changeSql(EARLIER_ADD, [
  ['CREATE FUNCTION', 'CREATE OR REPLACE FUNCTION'],
  ['  added integer;', '  is_all_new boolean;\n  added integer;'],
  [
    / {2}states := ARRAY.*? {2}added := [^;]*;\n/s,
    `  is_all_new := NOT has_repeats
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
`,
  ],
  [
    '  ids := ARRAY',
    `  IF NOT is_all_new THEN
    SELECT array_agg(s.fingerprint ORDER BY s.n), array_agg(s.url ORDER BY s.n), array_agg(s.host ORDER BY s.n), array_agg(s.data ORDER BY s.n)
      INTO fingerprints, urls, host_of, datas
      FROM unnest(fingerprints, urls, host_of, datas, states) WITH ORDINALITY AS s (fingerprint, url, host, data, state, n)
      WHERE s.state = 0;
  END IF;
  ids := ARRAY`,
  ],
  [
    'SELECT DISTINCT host FROM unnest(host_of, states) AS u (host, state) WHERE state = 0 AND ids[host] IS NULL',
    'SELECT DISTINCT u.host FROM unnest(host_of) AS u (host) WHERE ids[u.host] IS NULL',
  ],
  [
    / {2}WITH stored AS.*FROM by_host;\n/s,
    `  SELECT added_bytes + sum(m.bytes), array_agg(m.host), array_agg(m.more) INTO added_bytes, host_ids, more_of_hosts
    FROM (SELECT ids[s.host] AS host, count(*)::integer AS more,
        sum(overhead + octet_length(s.url) + coalesce(octet_length(s.data), 0)) AS bytes
      FROM unnest(urls, host_of, datas) AS s (url, host, data) GROUP BY 1) m;
  INSERT INTO queue_requests (queue, fingerprint, host, rank, url, data)
    SELECT q.key, s.fingerprint, ids[s.host], first_rank + s.n + CASE WHEN is_front THEN -place ELSE place END, s.url, s.data
    FROM unnest(fingerprints, urls, host_of, datas) WITH ORDINALITY AS s (fingerprint, url, host, data, n);
`,
  ],
]);
