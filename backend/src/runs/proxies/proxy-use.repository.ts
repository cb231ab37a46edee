import { Injectable } from '@nestjs/common';
import { PROXY_LIMITS, type ProxyUse } from '@trawl/contracts';
import { DataSource } from 'typeorm';
import { preparedQuery } from '../../platform/common/sql/prepared-query.js';
import { IS_USABLE } from './proxy-lines.js';

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

const FIGURES = ['connections', 'failures', 'bytes_sent', 'bytes_received'] as const;
const list = (text: (column: string) => string): string => FIGURES.map(text).join(', ');

/** SQL: adds a cost that may be null because the pool has no price. */
const addCost = (known: string, more: string): string =>
  `CASE WHEN ${more} IS NULL THEN ${known} ELSE coalesce(${known}, 0) + ${more} END`;

// In the order of their ids, so that reports of two runs do not wait for each other.
const LOCK = `SELECT FROM proxies p JOIN proxy_pools q ON q.id = p.pool_id
  WHERE p.id = ANY($2::uuid[]) AND q.owner_id = $1 ORDER BY p.id FOR NO KEY UPDATE OF p`;

// `used` is by how much the totals of the run have grown.
const REPORT = `
  WITH used AS (
    SELECT p.id, p.address, q.name AS pool, ${list(column => `greatest(0, u.${column} - coalesce(x.${column}, 0)) AS ${column}`)},
      greatest(0, u.bytes_sent + u.bytes_received - coalesce(x.bytes_sent + x.bytes_received, 0)) * q.price_per_gb / 1e9 AS cost
    FROM (SELECT id, ${list(column => `max(${column}) AS ${column}`)}
          FROM unnest($3::uuid[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[]) AS sent(id, ${FIGURES.join(', ')})
          GROUP BY id) u
      JOIN proxies p ON p.id = u.id JOIN proxy_pools q ON q.id = p.pool_id AND q.owner_id = $1
      LEFT JOIN execution_proxies x ON x.execution_id = $2 AND x.id = p.id),
  of_run AS (
    INSERT INTO execution_proxies AS x (execution_id, id, pool, address, ${FIGURES.join(', ')}, cost)
    SELECT $2, id, pool, address, ${FIGURES.join(', ')}, cost FROM used
    ON CONFLICT (execution_id, id) DO UPDATE SET ${list(column => `${column} = x.${column} + excluded.${column}`)},
      cost = ${addCost('x.cost', 'excluded.cost')}),
  counted AS (
    UPDATE executions e SET proxy_use = jsonb_build_object(${FIGURES.map(ofRun).join(', ')},
      'cost', ${addCost("(e.proxy_use->>'cost')::float8", 't.cost')})
    FROM (SELECT ${list(column => `sum(${column}) AS ${column}`)}, sum(cost) AS cost FROM used) t
    WHERE e.id = $2 AND t.connections IS NOT NULL),
  changed AS (
    UPDATE proxies p SET ${list(column => `${column} = ${sum(column)}`)}, last_used_at = now(),
      failures_in_row = CASE WHEN u.connections > 0 THEN 0 ELSE least(p.failures_in_row + u.failures, 1000000) END,
      rests = CASE WHEN u.connections > 0 THEN 0 WHEN ${BEGINS_REST} THEN least(p.rests + 1, 30) ELSE p.rests END,
      rests_until = CASE WHEN u.connections > 0 THEN NULL
        WHEN ${BEGINS_REST} THEN now() + interval '1 ms'
          * least(${PROXY_LIMITS.maxRestMs}, ${PROXY_LIMITS.firstRestMs} * 2 ^ p.rests)
        ELSE p.rests_until END
    FROM used u WHERE p.id = u.id RETURNING p.id, p.rests_until)
  SELECT id, round(1000 * extract(epoch FROM rests_until - now()))::float8 AS rest_ms FROM changed
  WHERE rests_until > now() ORDER BY id`;

/** Statements of runs on `proxy_pools`, `proxies` and `execution_proxies`. */
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
       FROM proxies WHERE pool_id = $1 AND ${IS_USABLE} AND ($2::text IS NULL OR country = $2) AND ($3::smallint IS NULL OR tier = $3)
       ORDER BY tier, coalesce(rests_until > now(), false), random() LIMIT $4`,
      [poolId, country ?? null, tier ?? null, PROXY_LIMITS.takenAtOnce],
    );
  }

  /** Returns the tiers that a pool has of each country, for proxies that runs can use. */
  countries(poolId: string): Promise<{ country: string | null; tiers: number[] }[]> {
    return this.dataSource.query(
      `SELECT country, array_agg(DISTINCT tier ORDER BY tier) AS tiers FROM proxies WHERE pool_id = $1 AND ${IS_USABLE}
       GROUP BY country ORDER BY country NULLS LAST LIMIT 300`,
      [poolId],
    );
  }

  /** Counts by how much the totals of a run have grown. Returns the proxies of the account that rest. */
  report(ownerId: string, executionId: string, totals: ProxyUse[]): Promise<{ id: string; rest_ms: number }[]> {
    return this.dataSource.transaction(async manager => {
      const ids = totals.map(({ id }) => id);
      // A repeat waits here for the first delivery. The next statement then sees what that one has counted.
      await manager.query(LOCK, [ownerId, ids]);
      return manager.query(REPORT, [
        ownerId,
        executionId,
        ids,
        ...FIGURES.map(figure => totals.map(use => use[figure])),
      ]);
    });
  }
}
