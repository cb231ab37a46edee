import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { notFound } from '../../common/errors.js';
import { type List, parseSort } from '../../http/lists/list-query.js';
import { listSqlPage } from '../../http/lists/list-rows.js';
import { DeliveriesRepository, type DeliveryRow } from './deliveries.repository.js';
import { DeliverySenderService } from './delivery-sender.service.js';
import { DeliverySigner } from './delivery-signer.service.js';
import type { DeliveriesListQuery, DeliveryRequestDto, WebhookDeliveryDto } from './webhooks.dto.js';
import { WebhooksService } from './webhooks.service.js';

export const DELIVERIES_SORTABLE = ['created_at', 'id'];

/** Lists deliveries for their owner, and adds or repeats them. */
@Injectable()
export class DeliveriesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly deliveries: DeliveriesRepository,
    private readonly webhooks: WebhooksService,
    private readonly sender: DeliverySenderService,
    private readonly signer: DeliverySigner,
  ) {}

  async list(ownerId: string, webhookId: string, query: DeliveriesListQuery): Promise<List<WebhookDeliveryDto>> {
    const { id } = await this.webhooks.find(ownerId, webhookId);
    const list = {
      dataSource: this.dataSource,
      table: 'webhook_deliveries',
      alias: 'd',
      columns: 'd.*',
      joins: '',
      where: 'd.webhook_id = $1 AND ($2::text IS NULL OR d.state = $2)',
      values: [id, query.state ?? null],
    };
    return listSqlPage(list, query, parseSort(query.sort, DELIVERIES_SORTABLE), toDto);
  }

  async get(ownerId: string, webhookId: string, id: string): Promise<WebhookDeliveryDto> {
    const webhook = await this.webhooks.find(ownerId, webhookId);
    return toDto(found(await this.deliveries.find(webhook.id, id), id));
  }

  /** Returns the request of a delivery with a new signature. @throws {ApiError} 404. */
  async request(ownerId: string, webhookId: string, id: string): Promise<DeliveryRequestDto> {
    const webhook = await this.webhooks.find(ownerId, webhookId);
    const delivery = found(await this.deliveries.findSignable(webhook.id, id), id);
    return { url: webhook.url, headers: this.signer.headersOf(delivery), body: delivery.body };
  }

  /** @throws {ApiError} 404; 409 `conflict` if the webhook is disabled. */
  async sendTest(ownerId: string, webhookId: string): Promise<WebhookDeliveryDto> {
    const webhook = await this.webhooks.findEnabled(ownerId, webhookId);
    const row = await this.deliveries.addTest(webhook.id, ownerId);
    void this.sender.sendDue();
    return toDto(row);
  }

  /** @throws {ApiError} 404; 409 `conflict` if the webhook is disabled. */
  async resend(ownerId: string, webhookId: string, id: string): Promise<WebhookDeliveryDto> {
    const webhook = await this.webhooks.findEnabled(ownerId, webhookId);
    const delivery = toDto(found(await this.deliveries.resend(webhook.id, id), id));
    void this.sender.sendDue();
    return delivery;
  }
}

function found<Row>(row: Row | undefined, id: string): Row {
  if (!row) throw notFound('delivery of this webhook', id);
  return row;
}

const toDto = (row: DeliveryRow): WebhookDeliveryDto => ({
  id: row.id,
  webhook_id: row.webhook_id,
  event: row.event as WebhookDeliveryDto['event'],
  payload: row.payload,
  state: row.state,
  attempts: row.attempts,
  next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
  response_status: row.response_status,
  response_body: row.response_body,
  duration_ms: row.duration_ms,
  error: row.error,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});
