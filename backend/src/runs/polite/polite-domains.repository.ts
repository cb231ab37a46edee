import { Injectable } from '@nestjs/common';
import { type DomainSlots, POLITE_LIMITS } from '@trawl/contracts';
import { DataSource } from 'typeorm';
import { preparedQuery } from '../../platform/common/sql/prepared-query.js';

/** For each domain: the number of slots that a run wants, and whether the domain has answered it well since the last time. */
export type WantedSlots = [domain: string, wanted: number, succeeded: boolean][];

/** A domain without settings that is neither busy nor closed. A row of it says no more than no row. */
const IS_IDLE = `requests_per_second IS NULL AND burst IS NULL AND tat < now()
  AND (closed_until IS NULL OR closed_until < now() - interval '1 hour')
  AND (crawl_delay_ms IS NULL OR tat < now() - interval '1 hour')`;

/** Statements of `polite_domains`: see the migration `polite-domains`. */
@Injectable()
export class PoliteDomainsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Reserves slots of many domains. `is_new`: the domain had no row. */
  reserve(ownerId: string, wanted: WantedSlots): Promise<(DomainSlots & { is_new: boolean })[]> {
    return preparedQuery(
      this.dataSource,
      'reserve slots',
      'SELECT * FROM reserve_slots($1, $2::text[], $3::int[], $4::bool[], $5, $6)',
      [
        ownerId,
        wanted.map(([domain]) => domain),
        wanted.map(([, count]) => count),
        wanted.map(([, , succeeded]) => succeeded),
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

  /** Deletes idle domains of an account, and returns how many it has left. */
  async sweep(ownerId: string): Promise<number> {
    await this.dataSource.query(`DELETE FROM polite_domains WHERE owner_id = $1 AND ${IS_IDLE}`, [ownerId]);
    const [row] = await this.dataSource.query<{ n: number }[]>(
      'SELECT count(*)::int AS n FROM polite_domains WHERE owner_id = $1',
      [ownerId],
    );
    return row?.n ?? 0;
  }

  async sweepAll(): Promise<void> {
    await this.dataSource.query(`DELETE FROM polite_domains WHERE ${IS_IDLE}`);
  }
}
