import { Injectable } from '@nestjs/common';
import { ALL_DOMAINS, countText, POLITE_LIMITS, ROBOTS_MODES, type RobotsMode } from '@trawl/contracts';
import { DataSource } from 'typeorm';
import type { DeletedDto } from '../../platform/common/entity.js';
import { ApiError } from '../../platform/common/errors.js';
import { type List, parseSort } from '../../platform/http/lists/list-query.js';
import { containsPattern, listSqlPage } from '../../platform/http/lists/list-rows.js';
import type { PoliteDomainDto, PoliteDomainsQuery, PoliteSettingsDto } from './polite-domains.dto.js';
import { PoliteDomainsRepository } from './polite-domains.repository.js';

export const SORTABLE = ['domain', 'created_at', 'id'];

interface DomainRow {
  domain: string;
  closed_until: Date | null;
  own_rate: number | null;
  own_burst: number | null;
  usual_rate: number | null;
  usual_burst: number | null;
  own_concurrency: number | null;
  usual_concurrency: number | null;
  own_robots: RobotsMode | null;
  usual_robots: RobotsMode | null;
  crawl_delay_ms: number | null;
}

/** SQL: the budget of the domain `p`, and that of the account, `u`. */
const COLUMNS = `p.domain, CASE WHEN p.closed_until > now() THEN p.closed_until END AS closed_until,
  p.requests_per_second AS own_rate, p.burst AS own_burst, u.requests_per_second AS usual_rate, u.burst AS usual_burst,
  p.max_concurrency AS own_concurrency, u.max_concurrency AS usual_concurrency, p.robots AS own_robots, u.robots AS usual_robots,
  p.crawl_delay_ms`;
const USUAL = (owner: string): string =>
  `LEFT JOIN polite_domains u ON u.owner_id = ${owner} AND u.domain = '${ALL_DOMAINS}'`;

const CONDITIONS: Record<PoliteDomainsQuery['show'], string> = {
  all: '',
  set: ' AND p.requests_per_second IS NOT NULL',
  closed: ' AND p.closed_until > now()',
};

/** Reads and changes what an account has set for domains. */
@Injectable()
export class PoliteSettingsRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly domains: PoliteDomainsRepository,
  ) {}

  list(ownerId: string, query: PoliteDomainsQuery): Promise<List<PoliteDomainDto>> {
    const { domain_contains, show, sort } = query;
    const where = `p.owner_id = $1${CONDITIONS[show]}${domain_contains ? ' AND p.domain ILIKE $2' : ''}`;
    const values = [ownerId, ...(domain_contains ? [containsPattern(domain_contains)] : [])];
    const list = { dataSource: this.dataSource, table: 'polite_domains', alias: 'p', columns: COLUMNS };
    const order = parseSort(sort, SORTABLE, 'domain');
    return listSqlPage({ ...list, joins: USUAL('p.owner_id'), where, values }, query, order, toDomain);
  }

  async get(ownerId: string, domain: string): Promise<PoliteDomainDto> {
    const [row] = await this.dataSource.query<[DomainRow]>(
      `SELECT ${COLUMNS.replace('p.domain', 'n.domain')} FROM (SELECT $2::text AS domain) n
       LEFT JOIN polite_domains p ON p.owner_id = $1 AND p.domain = n.domain ${USUAL('$1')}`,
      [ownerId, domain],
    );
    return toDomain(row);
  }

  /** @throws {ApiError} 429 `quota_exceeded`. */
  async set(
    ownerId: string,
    domain: string,
    { requests_per_second, burst, max_concurrency, robots }: PoliteSettingsDto,
  ): Promise<PoliteDomainDto> {
    await this.dataSource.transaction(async transaction => {
      // One call of an account counts at a time, so that two cannot both take the last place.
      await transaction.query('SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', [ownerId]);
      const [{ others }] = await transaction.query<[{ others: number }]>(
        `SELECT count(*)::int AS others FROM polite_domains
         WHERE owner_id = $1 AND requests_per_second IS NOT NULL AND domain <> $2`,
        [ownerId, domain],
      );
      if (others >= POLITE_LIMITS.domainsWithSettings) throw tooMany();
      // Runs need not wait for slots that were reserved at a lower rate.
      await transaction.query(
        `INSERT INTO polite_domains AS p (owner_id, domain, requests_per_second, burst, max_concurrency, robots)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (owner_id, domain) DO UPDATE
         SET requests_per_second = $3, burst = $4, max_concurrency = $5, robots = $6, tat = least(p.tat, now())`,
        [ownerId, domain, requests_per_second, burst, max_concurrency, robots],
      );
    });
    return this.get(ownerId, domain);
  }

  async reopen(ownerId: string, domain: string): Promise<PoliteDomainDto> {
    await this.dataSource.query(
      'UPDATE polite_domains SET closed_until = NULL, closings = 0 WHERE owner_id = $1 AND domain = $2',
      [ownerId, domain],
    );
    return this.get(ownerId, domain);
  }

  /** @throws {ApiError} 404 `not_found` if the account has set nothing for the domain. */
  async reset(ownerId: string, domain: string): Promise<DeletedDto> {
    const [, changed] = await this.dataSource.query<[unknown, number]>(
      `UPDATE polite_domains SET requests_per_second = NULL, burst = NULL, max_concurrency = NULL, robots = NULL
       WHERE owner_id = $1 AND domain = $2 AND requests_per_second IS NOT NULL`,
      [ownerId, domain],
    );
    if (changed === 0) throw new ApiError('not_found', `You have no settings for the domain ${domain}.`);
    await this.domains.sweep(ownerId);
    return { deleted: { polite_domains: 1 } };
  }
}

const tooMany = (): ApiError => {
  const limit = countText(POLITE_LIMITS.domainsWithSettings, 'domain');
  return new ApiError('quota_exceeded', `You have settings for ${limit}, which is the limit. Reset one first.`);
};

function toDomain(row: DomainRow): PoliteDomainDto {
  const { domain, closed_until, own_rate, usual_rate, crawl_delay_ms } = row;
  const isOwn = own_rate !== null && domain !== ALL_DOMAINS;
  return {
    domain,
    requests_per_second: own_rate ?? usual_rate ?? POLITE_LIMITS.requestsPerSecond,
    burst: row.own_burst ?? row.usual_burst ?? POLITE_LIMITS.burst,
    max_concurrency: own_rate === null ? row.usual_concurrency : row.own_concurrency,
    robots: row.own_robots ?? row.usual_robots ?? ROBOTS_MODES[0],
    crawl_delay_ms,
    source: isOwn ? 'domain' : usual_rate !== null ? 'account' : 'default',
    closed_until: closed_until?.toISOString() ?? null,
  };
}
