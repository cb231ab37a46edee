import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { entityFields } from '../../platform/common/entity.js';
import { SecretBox } from '../../platform/common/secret-box.service.js';
import { type List, type ListQuery, parseSort } from '../../platform/http/lists/list-query.js';
import { containsPattern, listSqlPage } from '../../platform/http/lists/list-rows.js';
import { QuotasService } from '../../platform/quotas/quotas.service.js';
import { IS_USABLE, type ParsedProxy } from './proxy-lines.js';
import type {
  CreateProxyPoolDto,
  ProxyDto,
  ProxyPoolDto,
  ProxyPoolsQuery,
  UpdateProxyDto,
  UpdateProxyPoolDto,
} from './proxy-pools.dto.js';

export const SORTABLE = ['name', 'created_at', 'updated_at', 'id'];
export const SORTABLE_PROXIES = ['address', 'tier', 'connections', 'failures', 'bytes_received', 'created_at', 'id'];

/** Decrypting so many URLs takes a few milliseconds. */
const OPENED_AT_ONCE = 200;

const sum = (column: string): string => `coalesce(sum(p.${column}), 0)::float8 AS ${column}`;
const COLUMNS = `q.id, q.name, q.is_sticky, q.price_per_gb, q.created_at, q.updated_at, u.*`;
/** SQL: the use of the proxies of pool `q`. */
const USE = `LATERAL (SELECT count(*)::int AS proxies, (count(*) FILTER (WHERE p.rests_until > now()))::int AS resting,
    coalesce(array_agg(DISTINCT p.country ORDER BY p.country) FILTER (WHERE p.country IS NOT NULL), '{}') AS countries,
    coalesce(array_agg(DISTINCT p.tier ORDER BY p.tier) FILTER (WHERE p.tier IS NOT NULL), '{}') AS tiers,
    ${['connections', 'failures', 'bytes_sent', 'bytes_received'].map(sum).join(', ')}, max(p.last_used_at) AS last_used_at
  FROM proxies p WHERE p.pool_id = q.id) u`;

const PROXY_COLUMNS = `p.id, p.address, ${IS_USABLE} AS is_usable, p.country, p.tier, p.last_used_at, p.created_at, p.updated_at,
  CASE WHEN p.rests_until > now() THEN p.rests_until END AS rests_until, p.failures_in_row, p.connections::float8 AS connections,
  p.failures::float8 AS failures, p.bytes_sent::float8 AS bytes_sent, p.bytes_received::float8 AS bytes_received`;

type Times = 'last_used_at' | 'created_at' | 'updated_at';
type Row<Dto extends { last_used_at: string | null }> = Omit<Dto, Times> &
  Record<'created_at' | 'updated_at', Date> & { last_used_at: Date | null };
type PoolRow = Row<ProxyPoolDto>;
type ProxyRow = Omit<Row<ProxyDto>, 'rests_until' | 'state'> & {
  is_usable: boolean;
  rests_until: Date | null;
  failures_in_row: number;
};

interface KnownProxy {
  id: string;
  url_sealed: Buffer;
}

/** Statements of the owner on `proxy_pools` and `proxies`. */
@Injectable()
export class ProxyPoolsRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly quotas: QuotasService,
    private readonly box: SecretBox,
  ) {}

  page(ownerId: string, query: ProxyPoolsQuery): Promise<List<ProxyPoolDto>> {
    const { name_contains } = query;
    const where = `q.owner_id = $1${name_contains ? ' AND q.name ILIKE $2' : ''}`;
    const values = [ownerId, ...(name_contains ? [containsPattern(name_contains)] : [])];
    const list = { dataSource: this.dataSource, table: 'proxy_pools', alias: 'q', columns: COLUMNS };
    const rows = { ...list, joins: `CROSS JOIN ${USE}`, where, values };
    return listSqlPage(rows, query, parseSort(query.sort, SORTABLE, 'name'), toPool);
  }

  async find(ownerId: string, id: string): Promise<ProxyPoolDto | null> {
    const [row] = await this.dataSource.query<PoolRow[]>(
      `SELECT ${COLUMNS} FROM proxy_pools q CROSS JOIN ${USE} WHERE q.owner_id = $1 AND q.id = $2`,
      [ownerId, id],
    );
    return row ? toPool(row) : null;
  }

  async create(
    ownerId: string,
    id: string,
    { name, is_sticky, price_per_gb }: Omit<CreateProxyPoolDto, 'lines'>,
    proxies: ParsedProxy[],
  ): Promise<void> {
    await this.dataSource.transaction(async manager => {
      await this.quotas.roomForProxies(manager, ownerId, 1 + proxies.length);
      await manager.query(
        'INSERT INTO proxy_pools (id, owner_id, name, is_sticky, price_per_gb) VALUES ($1, $2, $3, $4, $5)',
        [id, ownerId, name, is_sticky ?? false, price_per_gb ?? null],
      );
      await this.#insert(manager, id, proxies);
    });
  }

  /** A change that is undefined keeps the value. */
  async update(ownerId: string, id: string, { name, is_sticky, price_per_gb }: UpdateProxyPoolDto): Promise<void> {
    await this.dataSource.query(
      `UPDATE proxy_pools SET name = coalesce($3, name), is_sticky = coalesce($4, is_sticky),
         price_per_gb = CASE WHEN $5 THEN $6::float8 ELSE price_per_gb END, updated_at = now()
       WHERE owner_id = $1 AND id = $2`,
      [ownerId, id, name ?? null, is_sticky ?? null, price_per_gb !== undefined, price_per_gb ?? null],
    );
  }

  /** Returns how many proxies went with the pool; undefined if the account has no such pool. */
  async delete(ownerId: string, id: string): Promise<{ proxies: number } | undefined> {
    const [[deleted]] = await this.dataSource.query<[{ proxies: number }[], number]>(
      `DELETE FROM proxy_pools WHERE owner_id = $1 AND id = $2
       RETURNING (SELECT count(*)::int FROM proxies WHERE pool_id = $2) AS proxies`,
      [ownerId, id],
    );
    return deleted;
  }

  pageOfProxies(poolId: string, query: ListQuery): Promise<List<ProxyDto>> {
    const list = { dataSource: this.dataSource, table: 'proxies', alias: 'p', columns: PROXY_COLUMNS, joins: '' };
    const rows = { ...list, where: 'p.pool_id = $1', values: [poolId] };
    return listSqlPage(rows, query, parseSort(query.sort, SORTABLE_PROXIES, 'tier'), toProxy);
  }

  /**
   * Adds proxies, and gives those that the pool has the tags of the new ones. Returns how many are new; undefined if the
   * account has no such pool.
   * @throws {ApiError} 429 `quota_exceeded`.
   */
  add(ownerId: string, poolId: string, proxies: ParsedProxy[]): Promise<number | undefined> {
    return this.dataSource.transaction(async manager => {
      const pools = await manager.query<unknown[]>(
        'SELECT FROM proxy_pools WHERE owner_id = $1 AND id = $2 FOR UPDATE',
        [ownerId, poolId],
      );
      if (pools.length === 0) return undefined;
      const similar = await manager.query<KnownProxy[]>(
        'SELECT id, url_sealed FROM proxies WHERE pool_id = $1 AND address = ANY($2::text[])',
        [poolId, [...new Set(proxies.map(({ address }) => address))]],
      );
      const known = await this.#idsByUrl(similar);
      const added = proxies.filter(({ url }) => !known.has(url));
      await this.quotas.roomForProxies(manager, ownerId, added.length);
      const kept = proxies.filter(({ url }) => known.has(url));
      await manager.query(
        `UPDATE proxies p SET country = n.country, tier = n.tier, updated_at = now()
         FROM unnest($1::uuid[], $2::text[], $3::smallint[]) AS n(id, country, tier) WHERE p.id = n.id`,
        [kept.map(({ url }) => known.get(url)), kept.map(({ country }) => country), kept.map(({ tier }) => tier)],
      );
      await this.#insert(manager, poolId, added);
      return added.length;
    });
  }

  async #insert(manager: EntityManager, poolId: string, proxies: ParsedProxy[]): Promise<void> {
    const added = proxies.map(proxy => ({ ...proxy, id: uuidv7() }));
    await manager.query(
      `INSERT INTO proxies (id, pool_id, url_sealed, address, country, tier)
       SELECT n.id, $1, n.sealed, n.address, n.country, n.tier
       FROM unnest($2::uuid[], $3::bytea[], $4::text[], $5::text[], $6::smallint[]) AS n(id, sealed, address, country, tier)`,
      [
        poolId,
        added.map(({ id }) => id),
        added.map(({ id, url }) => this.box.seal(url, id)),
        added.map(({ address }) => address),
        added.map(({ country }) => country),
        added.map(({ tier }) => tier),
      ],
    );
  }

  /** Decrypts the URLs of proxies, and lets other work of this process come in between. */
  async #idsByUrl(proxies: KnownProxy[]): Promise<Map<string, string>> {
    const ids = new Map<string, string>();
    for (const [n, { id, url_sealed: sealed }] of proxies.entries()) {
      if (n % OPENED_AT_ONCE === 0) await setImmediate();
      ids.set(this.box.open(sealed, id), id);
    }
    return ids;
  }

  /** A tag that is undefined keeps its value. */
  async updateProxy(poolId: string, id: string, { country, tier }: UpdateProxyDto): Promise<ProxyDto | undefined> {
    const [[row]] = await this.dataSource.query<[ProxyRow[], number]>(
      `UPDATE proxies p SET country = CASE WHEN $3 THEN $4 ELSE country END, tier = coalesce($5, tier), updated_at = now()
       WHERE pool_id = $1 AND id = $2 RETURNING ${PROXY_COLUMNS}`,
      [poolId, id, country !== undefined, country ?? null, tier ?? null],
    );
    return row && toProxy(row);
  }

  async deleteProxy(poolId: string, id: string): Promise<boolean> {
    const [, deleted] = await this.dataSource.query<[unknown, number]>(
      'DELETE FROM proxies WHERE pool_id = $1 AND id = $2',
      [poolId, id],
    );
    return deleted > 0;
  }
}

const toPool = (row: PoolRow): ProxyPoolDto => ({
  ...row,
  ...entityFields(row),
  last_used_at: row.last_used_at?.toISOString() ?? null,
});

const toProxy = ({ is_usable, failures_in_row, ...row }: ProxyRow): ProxyDto => ({
  ...row,
  ...entityFields(row),
  state: is_usable ? stateOf(failures_in_row, row) : 'unusable',
  rests_until: row.rests_until?.toISOString() ?? null,
  last_used_at: row.last_used_at?.toISOString() ?? null,
});

function stateOf(
  failuresInRow: number,
  { rests_until, last_used_at }: Pick<ProxyRow, 'rests_until' | 'last_used_at'>,
): ProxyDto['state'] {
  if (rests_until) return 'resting';
  if (failuresInRow > 0) return 'failing';
  return last_used_at ? 'healthy' : 'unused';
}
