import type { MigrationInterface, QueryRunner } from 'typeorm';
import { changeSql } from '../change-sql.js';
import { planInOneWay } from './1795503100000-requests-left-by-runs.js';
import { TAKE as EARLIER_TAKE } from './1795508000000-ids-of-queue-hosts.js';

/**
 * A take looks at further hosts until it has as many requests as it was asked for. Before, it could end with fewer, because
 * the hosts at the front of the order had no more: hosts are counted and ordered again only when a take ends.
 */
export class TakesOfAllHosts1795510130000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(TAKE);
    await planInOneWay(queryRunner);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(EARLIER_TAKE);
    await planInOneWay(queryRunner);
  }
}

const TAKE = changeSql(EARLIER_TAKE, [
  ['  left_over integer;', `  left_over integer;\n  looked_at integer;\n  emptied integer[] := '{}';`],
  [
    / {4}WHILE.*END LOOP;/s,
    `    WHILE left_over > 0 AND bytes_left > 0 LOOP
      WITH hosts AS MATERIALIZED (
        SELECT id FROM queue_hosts h WHERE h.queue = q AND h.waiting > 0 AND h.id <> ALL (emptied) ORDER BY h.turn LIMIT left_over),
      share AS (SELECT (left_over + count(*) - 1) / greatest(count(*), 1) AS each FROM hosts),
      offered AS (
        SELECT hosts.id AS host, p.*
        FROM hosts CROSS JOIN LATERAL (
          SELECT r.ctid AS request, r.fingerprint, r.rank, 100 + octet_length(r.url) + coalesce(octet_length(r.data), 0) AS size
          FROM queue_requests r WHERE r.queue = q AND r.host = hosts.id AND r.state = 'w' ORDER BY r.rank
          LIMIT (SELECT each FROM share) FOR UPDATE SKIP LOCKED) p),
      picked AS (
        SELECT request FROM (
          SELECT o.request, sum(o.size) OVER (ORDER BY o.rank, o.fingerprint) - o.size AS before,
            row_number() OVER (ORDER BY o.rank, o.fingerprint) AS nth
          FROM offered o) sized
        WHERE before < bytes_left AND nth <= left_over),
      taken AS (
        UPDATE queue_requests r SET state = 'l', taker = t.id, lease = take, taken_at = coalesce(r.taken_at, now()) FROM picked
        WHERE r.ctid = picked.request
        RETURNING 100 + octet_length(r.url) + coalesce(octet_length(r.data), 0) AS size)
      SELECT count(*), coalesce(sum(size), 0), (SELECT count(*) FROM hosts), emptied || ARRAY(
          SELECT id FROM hosts EXCEPT SELECT o.host FROM offered o GROUP BY o.host HAVING count(*) >= (SELECT each FROM share))
        INTO found_rows, found_bytes, looked_at, emptied FROM taken;
      left_over := left_over - found_rows;
      bytes_left := bytes_left - found_bytes;
      IF looked_at = 0 THEN
        EXIT WHEN has_given_back OR left_over < most;
        has_given_back := true;
        emptied := '{}';
        PERFORM queue_give_back(g.id) FROM queue_takers g
          WHERE g.queue = q AND g.id <> t.id AND NOT EXISTS (SELECT FROM live_runs l WHERE l.execution_id = g.execution_id);
      END IF;
    END LOOP;`,
  ],
]);
