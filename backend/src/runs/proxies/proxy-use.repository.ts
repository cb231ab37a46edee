import { Injectable } from '@nestjs/common';
import { PROXY_LIMITS, type ProxyUse } from '@trawl/contracts';
import { DataSource } from 'typeorm';
import { preparedQuery } from '../../platform/common/sql/prepared-query.js';

/** Which proxies a run wants. */
export interface WantedProxies {
  country?: string | undefined;
  tier?: number | undefined;
}

interface SealedProxy {
  id: string;
  url_sealed: Buffer;
  tier: number;
  rest_ms: number;
}

/** The largest sum of bytes: JSON has no larger exact integers. */
const MAX_SUM = Number.MAX_SAFE_INTEGER;

const sum = (column: string): string => `least(p.${column} + u.${column}, ${MAX_SUM})::bigint`;
const ofRun = (column: string): string =>
  `'${column}', least(coalesce((e.proxy_use->>'${column}')::float8, 0) + t.${column}, ${MAX_SUM})`;

/** SQL: whether a proxy `p` begins a rest. Failures during a rest do not lengthen it. */
const BEGINS_REST = `u.failures > 0 AND p.failures_in_row + u.failures >= ${PROXY_LIMITS.failuresBeforeRest}
  AND coalesce(p.rests_until <= now(), true)`;

// The row of the run is locked first, so that a repeat waits for the first delivery, and then adds zeros. Proxies are locked in
// the order of their ids, so that reports of two runs do not wait for each other.
const REPORT = `
  WITH run AS (
    SELECT CASE WHEN e.proxy_reports >= $8::integer THEN 0 ELSE 1 END AS times FROM executions e WHERE e.id = $2
    FOR NO KEY UPDATE),
  used AS (
    SELECT p.id, q.price_per_gb, u.connections, u.failures, u.bytes_sent, u.bytes_received
    FROM (SELECT id, sum(connections) * times AS connections, sum(failures) * times AS failures,
            sum(bytes_sent) * times AS bytes_sent, sum(bytes_received) * times AS bytes_received
          FROM (SELECT coalesce((SELECT times FROM run), 1) AS times) r, unnest($3::uuid[], $4::float8[], $5::float8[], $6::float8[], $7::float8[])
            AS sent(id, connections, failures, bytes_sent, bytes_received) GROUP BY id, times) u
      JOIN proxies p ON p.id = u.id JOIN proxy_pools q ON q.id = p.pool_id AND q.owner_id = $1
    ORDER BY p.id FOR NO KEY UPDATE OF p),
  counted AS (
    UPDATE executions e SET proxy_reports = greatest(e.proxy_reports, $8::integer), proxy_use = jsonb_build_object(${ofRun('connections')}, ${ofRun('failures')},
      ${ofRun('bytes_sent')}, ${ofRun('bytes_received')},
      'cost', CASE WHEN t.cost IS NULL THEN (e.proxy_use->>'cost')::float8
        ELSE coalesce((e.proxy_use->>'cost')::float8, 0) + t.cost END)
    FROM (SELECT sum(connections) AS connections, sum(failures) AS failures, sum(bytes_sent) AS bytes_sent,
            sum(bytes_received) AS bytes_received, sum((bytes_sent + bytes_received) * price_per_gb / 1e9) AS cost
          FROM used) t
    WHERE e.id = $2 AND t.connections IS NOT NULL),
  changed AS (
    UPDATE proxies p SET connections = ${sum('connections')}, failures = ${sum('failures')},
      bytes_sent = ${sum('bytes_sent')}, bytes_received = ${sum('bytes_received')}, last_used_at = now(),
      failures_in_row = CASE WHEN u.connections > 0 THEN 0 ELSE least(p.failures_in_row + u.failures, 1000000) END,
      rests = CASE WHEN u.connections > 0 THEN 0 WHEN ${BEGINS_REST} THEN least(p.rests + 1, 30) ELSE p.rests END,
      rests_until = CASE WHEN u.connections > 0 THEN NULL
        WHEN ${BEGINS_REST} THEN now() + interval '1 ms'
          * least(${PROXY_LIMITS.maxRestMs}, ${PROXY_LIMITS.firstRestMs} * 2 ^ p.rests)
        ELSE p.rests_until END
    FROM used u WHERE p.id = u.id RETURNING p.id, p.rests_until)
  SELECT id, round(1000 * extract(epoch FROM rests_until - now()))::float8 AS rest_ms FROM changed
  WHERE rests_until > now() ORDER BY id`;

/** Statements of runs on `proxy_pools` and `proxies`. */
@Injectable()
export class ProxyUseRepository {
  constructor(private readonly dataSource: DataSource) {}

  async pool(ownerId: string, name: string): Promise<{ id: string; is_sticky: boolean } | undefined> {
    const [row] = await this.dataSource.query<{ id: string; is_sticky: boolean }[]>(
      'SELECT id, is_sticky FROM proxy_pools WHERE owner_id = $1 AND name = $2',
      [ownerId, name],
    );
    return row;
  }

  /** Returns the first names of pools in alphabetical order. */
  async poolNames(ownerId: string, atMost: number): Promise<string[]> {
    const rows = await this.dataSource.query<{ name: string }[]>(
      'SELECT name FROM proxy_pools WHERE owner_id = $1 ORDER BY name LIMIT $2',
      [ownerId, atMost],
    );
    return rows.map(({ name }) => name);
  }

  take(poolId: string, { country, tier }: WantedProxies): Promise<SealedProxy[]> {
    return preparedQuery(
      this.dataSource,
      'take proxies',
      `SELECT id, url_sealed, tier,
         greatest(0, coalesce(round(1000 * extract(epoch FROM rests_until - now())), 0))::float8 AS rest_ms
       FROM proxies WHERE pool_id = $1 AND ($2::text IS NULL OR country = $2) AND ($3::smallint IS NULL OR tier = $3)
       ORDER BY tier, coalesce(rests_until > now(), false), random() LIMIT $4`,
      [poolId, country ?? null, tier ?? null, PROXY_LIMITS.takenAtOnce],
    );
  }

  /** Returns the tiers that a pool has of each country. */
  countries(poolId: string): Promise<{ country: string | null; tiers: number[] }[]> {
    return this.dataSource.query(
      `SELECT country, array_agg(DISTINCT tier ORDER BY tier) AS tiers FROM proxies WHERE pool_id = $1
       GROUP BY country ORDER BY country NULLS LAST LIMIT 300`,
      [poolId],
    );
  }

  /**
   * Counts what a run did with proxies of the account. Returns those that rest.
   *
   * @param report counts the reports of the run; null if its worker is too old to number them
   */
  report(
    ownerId: string,
    executionId: string,
    uses: ProxyUse[],
    report: number | null,
  ): Promise<{ id: string; rest_ms: number }[]> {
    return preparedQuery(this.dataSource, 'report proxies', REPORT, [
      ownerId,
      executionId,
      uses.map(({ id }) => id),
      uses.map(({ connections }) => connections),
      uses.map(({ failures }) => failures),
      uses.map(({ bytes_sent }) => bytes_sent),
      uses.map(({ bytes_received }) => bytes_received),
      report,
    ]);
  }
}
