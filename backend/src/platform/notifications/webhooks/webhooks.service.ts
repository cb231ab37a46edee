import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { EntityManager, Repository } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { type DeletedDto, entityFields } from '../../common/entity.js';
import { ApiError, notFound } from '../../common/errors.js';
import { isUniqueViolation } from '../../common/postgres-errors.js';
import { SecretBox } from '../../common/secret-box.service.js';
import { type List, type ListQuery, parseSort } from '../../http/lists/list-query.js';
import { listPage } from '../../http/lists/list-rows.js';
import { OutgoingHttp } from '../../outgoing/outgoing-http.service.js';
import { QuotasService } from '../../quotas/quotas.service.js';
import { DeliveriesRepository, failPending } from './deliveries.repository.js';
import { Webhook } from './webhook.entity.js';
import {
  type CreateWebhookDto,
  LOG_URL,
  type UpdateWebhookDto,
  type WebhookDto,
  type WebhookWithSecretDto,
} from './webhooks.dto.js';

export const SORTABLE = ['name', 'enabled', 'created_at', 'updated_at', 'id'];
/** Deliveries are signed with a replaced secret too for this long, so that receivers can change theirs. */
const OLD_SECRET_HOURS = 24;

@Injectable()
export class WebhooksService {
  constructor(
    @InjectRepository(Webhook) private readonly webhooks: Repository<Webhook>,
    private readonly deliveries: DeliveriesRepository,
    private readonly secretBox: SecretBox,
    private readonly quotas: QuotasService,
    private readonly http: OutgoingHttp,
  ) {}

  async list(ownerId: string, query: ListQuery): Promise<List<WebhookDto>> {
    const matching = this.webhooks.createQueryBuilder('w').where('w.owner_id = :ownerId', { ownerId });
    return listPage(matching, query, parseSort(query.sort, SORTABLE), rows => rows.map(toDto));
  }

  async get(ownerId: string, id: string): Promise<WebhookDto> {
    return toDto(await this.find(ownerId, id));
  }

  /** @throws {ApiError} 404. */
  async find(ownerId: string, id: string): Promise<Webhook> {
    const row = await this.webhooks.findOneBy({ id, owner_id: ownerId });
    if (!row) throw notFound('webhook', id);
    return row;
  }

  /** @throws {ApiError} 404; 409 `conflict` if the webhook is disabled. */
  async findEnabled(ownerId: string, id: string): Promise<Webhook> {
    const row = await this.find(ownerId, id);
    if (!row.enabled) throw new ApiError('conflict', `The webhook ${row.name} is disabled. Enable it first.`);
    return row;
  }

  /**
   * @throws {ApiError} 400 for a URL that Trawl does not send to, 404 for a skript of another user, 409 `name_taken`,
   * 429 `quota_exceeded`.
   */
  async create(ownerId: string, { name, url, events, skript_id }: CreateWebhookDto): Promise<WebhookWithSecretDto> {
    this.#checkUrl(url);
    const id = uuidv7();
    const secret = newSecret();
    await withNameCheck(name, () =>
      this.webhooks.manager.transaction(async manager => {
        await this.quotas.roomForWebhook(manager, ownerId);
        await checkSkript(manager, ownerId, skript_id);
        const sealed = this.secretBox.seal(secret, id);
        const row = { id, owner_id: ownerId, name, url, events, skript_id, enabled: true, secret: sealed };
        await manager.insert(Webhook, row);
      }),
    );
    return { ...(await this.get(ownerId, id)), secret };
  }

  /** @throws {ApiError} 400, 404, 409 `name_taken`. */
  async update(ownerId: string, id: string, { enabled, ...fields }: UpdateWebhookDto): Promise<WebhookDto> {
    const { name, url, events, skript_id } = fields;
    if (url !== undefined) this.#checkUrl(url);
    const cleared = enabled === true ? { disabled_reason: null, failing_since: null, failures: 0 } : {};
    const changes = { name, url, events, skript_id, enabled, ...cleared };
    await withNameCheck(name, () =>
      this.webhooks.manager.transaction(async manager => {
        await checkSkript(manager, ownerId, skript_id);
        const { affected } = await manager.update(
          Webhook,
          { id, owner_id: ownerId },
          { ...changes, updated_at: () => 'now()' },
        );
        if (affected && enabled === false) await failPending(manager, id);
      }),
    );
    return this.get(ownerId, id);
  }

  async rotateSecret(ownerId: string, id: string): Promise<WebhookWithSecretDto> {
    const secret = newSecret();
    await this.webhooks.update(
      { id, owner_id: ownerId },
      {
        previous_secret: () => 'secret',
        previous_secret_until: () => `now() + interval '${OLD_SECRET_HOURS} hours'`,
        secret: this.secretBox.seal(secret, id),
        updated_at: () => 'now()',
      },
    );
    return { ...(await this.get(ownerId, id)), secret };
  }

  async delete(ownerId: string, id: string): Promise<DeletedDto> {
    const { affected } = await this.webhooks.delete({ id, owner_id: ownerId });
    if (!affected) throw notFound('webhook', id);
    return { deleted: { webhooks: 1, webhook_deliveries: await this.deliveries.deleteOf(id) } };
  }

  /** Checks what can be known before the first delivery. The connection judges the address. */
  #checkUrl(url: string): void {
    if (url === LOG_URL) return;
    const problem = this.http.urlProblem(url);
    if (problem === null) return;
    const message = `url ${problem}`;
    throw new ApiError('validation_failed', `${message}.`, [{ field: 'url', message }]);
  }
}

const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** Throws 404 unless the skript belongs to the owner. */
async function checkSkript(manager: EntityManager, ownerId: string, id: string | null | undefined): Promise<void> {
  if (!id) return;
  const found = await manager.query('SELECT FROM skripts WHERE id = $1 AND owner_id = $2 FOR KEY SHARE', [id, ownerId]);
  if (found.length === 0) throw notFound('skript', id);
}

/** Throws 409 `name_taken` if `write` fails because the name is taken. */
async function withNameCheck<T>(name: string | undefined, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isUniqueViolation(error, 'webhook_endpoints_name')) throw error;
    throw new ApiError('name_taken', `You already have a webhook named ${name}. Choose another name.`);
  }
}

const toDto = (row: Webhook): WebhookDto => ({
  ...entityFields(row),
  name: row.name,
  url: row.url,
  events: row.events,
  skript_id: row.skript_id,
  enabled: row.enabled,
  disabled_reason: row.disabled_reason,
  failing_since: row.failing_since?.toISOString() ?? null,
});
