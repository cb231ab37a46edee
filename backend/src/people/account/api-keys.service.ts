import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, type Repository } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { ApiKey } from '../../platform/auth/api-key.entity.js';
import { hashApiKey, newApiKey } from '../../platform/auth/api-key-format.js';
import { deleteEndedApiKeys } from '../../platform/auth/api-keys.repository.js';
import { TokenChanges } from '../../platform/auth/tokens/token-changes.service.js';
import { type DeletedDto, entityFields } from '../../platform/common/entity.js';
import { ApiError, notFound } from '../../platform/common/errors.js';
import { isUniqueViolation } from '../../platform/common/postgres-errors.js';
import { Cleanups } from '../../platform/database/cleanups.service.js';
import { type List, type ListQuery, parseSort } from '../../platform/http/lists/list-query.js';
import { listPage } from '../../platform/http/lists/list-rows.js';
import { QuotasService } from '../../platform/quotas/quotas.service.js';
import type { ApiKeyDto, CreateApiKeyDto, CreatedApiKeyDto, UpdateApiKeyDto } from './api-keys.dto.js';

export const SORTABLE = ['name', 'scope', 'expires_at', 'last_used_at', 'created_at', 'updated_at', 'id'];
/** Revoked and expired keys stay in the list for this many days, then they are deleted. */
const ENDED_DAYS = 30;

@Injectable()
export class ApiKeysService implements OnModuleInit {
  constructor(
    @InjectRepository(ApiKey) private readonly keys: Repository<ApiKey>,
    private readonly quotas: QuotasService,
    private readonly changes: TokenChanges,
    private readonly cleanups: Cleanups,
  ) {}

  onModuleInit(): void {
    this.cleanups.add('API keys', 'nightly', () => this.removeEnded());
  }

  async list(userId: string, query: ListQuery): Promise<List<ApiKeyDto>> {
    const matching = this.keys.createQueryBuilder('k').where('k.user_id = :userId', { userId });
    return listPage(matching, query, parseSort(query.sort, SORTABLE), rows => rows.map(toDto));
  }

  async get(userId: string, id: string): Promise<ApiKeyDto> {
    const row = await this.keys.findOneBy({ id, user_id: userId });
    if (!row) throw notFound('API key', id);
    return toDto(row);
  }

  /** @throws {ApiError} 400 when `expires_at` is in the past, 409 `name_taken`, 429 `quota_exceeded`. */
  async create(userId: string, { name, scope, expires_at }: CreateApiKeyDto): Promise<CreatedApiKeyDto> {
    if (expires_at && Date.parse(expires_at) <= Date.now()) {
      const message = 'expires_at must be in the future';
      throw new ApiError('validation_failed', `${message}.`, [{ field: 'expires_at', message }]);
    }
    const key = newApiKey();
    const id = uuidv7();
    await withNameCheck(name, () =>
      this.keys.manager.transaction(async manager => {
        await this.quotas.roomForApiKey(manager, userId);
        await manager.insert(ApiKey, {
          id,
          user_id: userId,
          name,
          scope,
          key_hash: hashApiKey(key),
          expires_at: expires_at ? new Date(expires_at) : null,
        });
      }),
    );
    return { ...(await this.get(userId, id)), key };
  }

  /** @throws {ApiError} 409 `name_taken`. */
  async update(userId: string, id: string, { name }: UpdateApiKeyDto): Promise<ApiKeyDto> {
    if (name !== undefined) {
      await withNameCheck(name, () => this.keys.update({ id, user_id: userId }, { name, updated_at: new Date() }));
      this.changes.publish(userId);
    }
    return this.get(userId, id);
  }

  async revoke(userId: string, id: string): Promise<DeletedDto> {
    const { affected } = await this.keys.update(
      { id, user_id: userId, revoked_at: IsNull() },
      { revoked_at: () => 'now()', updated_at: () => 'now()' },
    );
    if (!affected) throw notFound('active API key', id);
    this.changes.publish(userId);
    return { deleted: { api_keys: 1 } };
  }

  async removeEnded(): Promise<void> {
    await deleteEndedApiKeys(this.keys.manager, ENDED_DAYS);
  }
}

/** Throws 409 `name_taken` if `write` fails because the name is taken. */
async function withNameCheck<T>(name: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isUniqueViolation(error, 'api_keys_name')) throw error;
    throw new ApiError('name_taken', `You already have an API key named ${name}. Choose another name.`);
  }
}

const toDto = (row: ApiKey): ApiKeyDto => ({
  ...entityFields(row),
  name: row.name,
  scope: row.scope,
  expires_at: row.expires_at?.toISOString() ?? null,
  last_used_at: row.last_used_at?.toISOString() ?? null,
  revoked_at: row.revoked_at?.toISOString() ?? null,
});
