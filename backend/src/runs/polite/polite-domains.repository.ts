import { Injectable } from '@nestjs/common';
import { type DomainSlots, POLITE_LIMITS } from '@trawl/contracts';
import { DataSource } from 'typeorm';
import { preparedQuery } from '../../platform/common/sql/prepared-query.js';

/** See `reserveSlots` of `politeOperationSchema`. */
export type WantedSlots = [domain: string, wanted: number, succeeded: boolean, holds?: number | undefined][];

/** A domain without settings that is neither busy nor closed. A row of it says no more than no row. */
const IS_IDLE = `p.requests_per_second IS NULL AND p.burst IS NULL AND p.tat < now()
  AND (p.closed_until IS NULL OR p.closed_until < now() - interval '1 hour')
  AND (p.crawl_delay_ms IS NULL OR p.tat < now() - interval '1 hour')
  AND NOT EXISTS (SELECT FROM polite_places t WHERE t.owner_id = p.owner_id AND t.domain = p.domain)`;
/** A reservation may delete the same rows in another order. */
const DELETE_PLACES = (where: string): string =>
  `DELETE FROM polite_places WHERE (owner_id, domain, execution_id) IN (
     SELECT owner_id, domain, execution_id FROM polite_places t
     WHERE ${where} NOT EXISTS (SELECT FROM live_runs l WHERE l.execution_id = t.execution_id)
     FOR UPDATE SKIP LOCKED)`;

/** Statements of `polite_domains` and `polite_places`: see the migrations `polite-domains` and `places-of-polite-domains`. */
@Injectable()
export class PoliteDomainsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Reserves slots of many domains. `is_new`: the domain had no row. */
  reserve(ownerId: string, executionId: string, wanted: WantedSlots): Promise<(DomainSlots & { is_new: boolean })[]> {
    return preparedQuery(
      this.dataSource,
      'reserve slots',
      'SELECT * FROM reserve_slots($1, $2, $3::text[], $4::int[], $5::bool[], $6::int[], $7, $8)',
      [
        ownerId,
        executionId,
        wanted.map(([domain]) => domain),
        wanted.map(([, count]) => count),
        wanted.map(([, , succeeded]) => succeeded),
        wanted.map(([, , , holds]) => holds ?? null),
        POLITE_LIMITS.requestsPerSecond,
        POLITE_LIMITS.burst,
      ],
    );
  }

  /** Closes a domain for all polite runs of an account. Returns for how long. */
  async close(ownerId: string, domain: string, retryAfterMs: number | null): Promise<number> {
    const [row] = await preparedQuery<{ ms: number }>(
      this.dataSource,
      'close a domain',
      'SELECT close_domain($1, $2, $3, $4, $5) AS ms',
      [ownerId, domain, retryAfterMs ?? 0, POLITE_LIMITS.firstClosingMs, POLITE_LIMITS.maxClosingMs],
    );
    return row?.ms ?? 0;
  }

  /** Keeps the time between requests that the robots.txt of a domain asks for; 0 for none. */
  async setCrawlDelay(ownerId: string, domain: string, ms: number): Promise<void> {
    const kept = ms > 0 ? Math.min(Math.max(1, ms), POLITE_LIMITS.maxCrawlDelayMs) : null;
    await this.dataSource.query('UPDATE polite_domains SET crawl_delay_ms = $3 WHERE owner_id = $1 AND domain = $2', [
      ownerId,
      domain,
      kept,
    ]);
  }

  /** Deletes idle domains of an account and places of ended runs, and returns how many domains it has left. */
  async sweep(ownerId: string): Promise<number> {
    await this.dataSource.query(DELETE_PLACES('t.owner_id = $1 AND'), [ownerId]);
    await this.dataSource.query(`DELETE FROM polite_domains p WHERE p.owner_id = $1 AND ${IS_IDLE}`, [ownerId]);
    const [row] = await this.dataSource.query<{ n: number }[]>(
      'SELECT count(*)::int AS n FROM polite_domains WHERE owner_id = $1',
      [ownerId],
    );
    return row?.n ?? 0;
  }

  async sweepAll(): Promise<void> {
    await this.dataSource.query(DELETE_PLACES(''));
    await this.dataSource.query(`DELETE FROM polite_domains p WHERE ${IS_IDLE}`);
  }
}
