import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import type { DeletedDto } from '../../platform/common/entity.js';
import { ApiError, notFound } from '../../platform/common/errors.js';
import { isUniqueViolation } from '../../platform/common/postgres-errors.js';
import type { List, ListQuery } from '../../platform/http/lists/list-query.js';
import { type ParsedProxy, ProxyLineError, readProxyLines } from './proxy-lines.js';
import type {
  AddedProxiesDto,
  CreateProxyPoolDto,
  ProxyDto,
  ProxyPoolDto,
  ProxyPoolsQuery,
  UpdateProxyDto,
  UpdateProxyPoolDto,
} from './proxy-pools.dto.js';
import { ProxyPoolsRepository } from './proxy-pools.repository.js';

/** The pools of proxies of an account, for their owner. */
@Injectable()
export class ProxyPoolsService {
  constructor(private readonly pools: ProxyPoolsRepository) {}

  list(ownerId: string, query: ProxyPoolsQuery): Promise<List<ProxyPoolDto>> {
    return this.pools.page(ownerId, query);
  }

  async get(ownerId: string, id: string): Promise<ProxyPoolDto> {
    const found = await this.pools.find(ownerId, id);
    if (!found) throw unknownPool(id);
    return found;
  }

  /** @throws {ApiError} 400 naming a line, 409 `name_taken`, 429 `quota_exceeded`. */
  async create(ownerId: string, { lines, ...fields }: CreateProxyPoolDto): Promise<ProxyPoolDto> {
    const proxies = lines === undefined ? [] : parse(lines);
    const id = uuidv7();
    await withNameCheck(fields.name, () => this.pools.create(ownerId, id, fields, proxies));
    return this.get(ownerId, id);
  }

  /** @throws {ApiError} 404, 409 `name_taken`. */
  async update(ownerId: string, id: string, changes: UpdateProxyPoolDto): Promise<ProxyPoolDto> {
    await withNameCheck(changes.name, () => this.pools.update(ownerId, id, changes));
    return this.get(ownerId, id);
  }

  async delete(ownerId: string, id: string): Promise<DeletedDto> {
    const deleted = await this.pools.delete(ownerId, id);
    if (!deleted) throw unknownPool(id);
    return { deleted: { proxy_pools: 1, ...deleted } };
  }

  async proxies(ownerId: string, poolId: string, query: ListQuery): Promise<List<ProxyDto>> {
    await this.get(ownerId, poolId);
    return this.pools.pageOfProxies(poolId, query);
  }

  /** @throws {ApiError} 400 naming a line, 404, 429 `quota_exceeded`. */
  async add(ownerId: string, poolId: string, lines: string): Promise<AddedProxiesDto> {
    await this.get(ownerId, poolId);
    const proxies = parse(lines);
    const added = await this.pools.add(ownerId, poolId, proxies);
    if (added === undefined) throw unknownPool(poolId);
    return { added, known: proxies.length - added };
  }

  /** @throws {ApiError} 404. */
  async updateProxy(ownerId: string, poolId: string, id: string, tags: UpdateProxyDto): Promise<ProxyDto> {
    await this.get(ownerId, poolId);
    const updated = await this.pools.updateProxy(poolId, id, tags);
    if (!updated) throw notFound('proxy', id);
    return updated;
  }

  async deleteProxy(ownerId: string, poolId: string, id: string): Promise<DeletedDto> {
    await this.get(ownerId, poolId);
    if (!(await this.pools.deleteProxy(poolId, id))) throw notFound('proxy', id);
    return { deleted: { proxies: 1 } };
  }
}

function parse(lines: string): ParsedProxy[] {
  try {
    const proxies = readProxyLines(lines);
    if (proxies.length > 0) return proxies;
    throw new ProxyLineError('The list has no proxies. Write one in each line, such as http://proxy.example:8080.');
  } catch (error) {
    if (!(error instanceof ProxyLineError)) throw error;
    throw new ApiError('validation_failed', error.message, [{ field: 'lines', message: error.message }]);
  }
}

async function withNameCheck<T>(name: string | undefined, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isUniqueViolation(error, 'proxy_pools_owner_id_name_key')) throw error;
    throw new ApiError('name_taken', `You already have a pool of proxies named ${name}. Choose another name.`);
  }
}

const unknownPool = (id: string): ApiError => notFound('pool of proxies', id);
