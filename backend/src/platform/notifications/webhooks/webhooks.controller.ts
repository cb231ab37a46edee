import { Body, Controller, Delete, Get, HttpCode, Post, Put, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { NeedsScope } from '../../auth/auth.guard.js';
import { CurrentUser, type SessionUser } from '../../auth/current-user.js';
import { DeletedDto } from '../../common/entity.js';
import { ApiErrors } from '../../http/api-errors.js';
import { ApiListResponse, type List, ListQuery } from '../../http/lists/list-query.js';
import { PathId } from '../../http/path-id.js';
import { Idempotent } from '../../idempotency/idempotent.js';
import { DELIVERIES_SORTABLE, DeliveriesService } from './deliveries.service.js';
import {
  CreateWebhookDto,
  DeliveriesListQuery,
  DeliveryRequestDto,
  UpdateWebhookDto,
  WebhookDeliveryDto,
  WebhookDto,
  WebhookWithSecretDto,
} from './webhooks.dto.js';
import { SORTABLE, WebhooksService } from './webhooks.service.js';

@ApiTags('Webhooks')
@ApiBearerAuth()
@ApiErrors('validation_failed', 'unauthorized')
@Controller('joint-api/webhooks')
export class WebhooksController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly deliveries: DeliveriesService,
  ) {}

  @Get('list')
  @ApiOperation({
    operationId: 'listWebhooks',
    summary: 'List webhooks',
    description: 'Lists your webhooks, newest first, without their secrets.',
  })
  @ApiListResponse(WebhookDto, SORTABLE)
  list(@CurrentUser() user: SessionUser, @Query() query: ListQuery): Promise<List<WebhookDto>> {
    return this.webhooks.list(user.id, query);
  }

  @Post('addnew')
  @Idempotent()
  @ApiOperation({
    operationId: 'createWebhook',
    summary: 'Add a webhook',
    description:
      'Creates a webhook and returns its secret. Store the secret now: no other response contains it. Trawl sends the events that happen from now on.',
  })
  @ApiCreatedResponse({ type: WebhookWithSecretDto })
  @ApiErrors('not_found', 'name_taken', 'quota_exceeded')
  create(@CurrentUser() user: SessionUser, @Body() body: CreateWebhookDto): Promise<WebhookWithSecretDto> {
    return this.webhooks.create(user.id, body);
  }

  @Get(':webhook_id')
  @ApiOperation({
    operationId: 'getWebhook',
    summary: 'Get a webhook',
    description: 'Returns one webhook, without its secret.',
  })
  @ApiOkResponse({ type: WebhookDto })
  @ApiErrors('not_found')
  get(@CurrentUser() user: SessionUser, @PathId('webhook_id') id: string): Promise<WebhookDto> {
    return this.webhooks.get(user.id, id);
  }

  @Put(':webhook_id')
  @ApiOperation({
    operationId: 'updateWebhook',
    summary: 'Change a webhook',
    description:
      'Changes the fields that you send. Pending deliveries go to the new URL. Enabling a webhook clears its failures. Disabling it fails its pending deliveries.',
  })
  @ApiOkResponse({ type: WebhookDto })
  @ApiErrors('not_found', 'name_taken')
  update(
    @CurrentUser() user: SessionUser,
    @PathId('webhook_id') id: string,
    @Body() body: UpdateWebhookDto,
  ): Promise<WebhookDto> {
    return this.webhooks.update(user.id, id, body);
  }

  @Delete(':webhook_id')
  @ApiOperation({
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook',
    description: 'Deletes a webhook and its deliveries, also those that are not sent yet.',
  })
  @ApiOkResponse({ type: DeletedDto })
  @ApiErrors('not_found')
  delete(@CurrentUser() user: SessionUser, @PathId('webhook_id') id: string): Promise<DeletedDto> {
    return this.webhooks.delete(user.id, id);
  }

  @Post(':webhook_id/secret')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'rotateWebhookSecret',
    summary: 'Replace the secret of a webhook',
    description:
      'Returns a new secret. Store it now: no other response contains it. For 24 hours Trawl signs deliveries with the old secret too, so that you can change your receiver without losing any.',
  })
  @ApiOkResponse({ type: WebhookWithSecretDto })
  @ApiErrors('not_found')
  rotateSecret(@CurrentUser() user: SessionUser, @PathId('webhook_id') id: string): Promise<WebhookWithSecretDto> {
    return this.webhooks.rotateSecret(user.id, id);
  }

  @Post(':webhook_id/test')
  @Idempotent()
  @ApiOperation({
    operationId: 'testWebhook',
    summary: 'Send a test event',
    description:
      'Sends the event `test` to the webhook. Get the delivery a moment later to see what the receiver answered.',
  })
  @ApiCreatedResponse({ type: WebhookDeliveryDto })
  @ApiErrors('not_found', 'conflict')
  test(@CurrentUser() user: SessionUser, @PathId('webhook_id') id: string): Promise<WebhookDeliveryDto> {
    return this.deliveries.sendTest(user.id, id);
  }

  @Get(':webhook_id/deliveries/list')
  @ApiOperation({
    operationId: 'listWebhookDeliveries',
    summary: 'List deliveries',
    description:
      'Lists the deliveries of a webhook of the last 30 days, newest first, with the result of the last attempt.',
  })
  @ApiListResponse(WebhookDeliveryDto, DELIVERIES_SORTABLE)
  @ApiErrors('not_found')
  listDeliveries(
    @CurrentUser() user: SessionUser,
    @PathId('webhook_id') id: string,
    @Query() query: DeliveriesListQuery,
  ): Promise<List<WebhookDeliveryDto>> {
    return this.deliveries.list(user.id, id, query);
  }

  @Get(':webhook_id/deliveries/:delivery_id')
  @ApiOperation({
    operationId: 'getWebhookDelivery',
    summary: 'Get a delivery',
    description: 'Returns one delivery with the result of its last attempt.',
  })
  @ApiOkResponse({ type: WebhookDeliveryDto })
  @ApiErrors('not_found')
  getDelivery(
    @CurrentUser() user: SessionUser,
    @PathId('webhook_id') webhookId: string,
    @PathId('delivery_id') id: string,
  ): Promise<WebhookDeliveryDto> {
    return this.deliveries.get(user.id, webhookId, id);
  }

  @Get(':webhook_id/deliveries/:delivery_id/request')
  // With the signature, a caller can tell the receiver of past events, so a key that only reads is not enough.
  @NeedsScope('all')
  @ApiOperation({
    operationId: 'getWebhookDeliveryRequest',
    summary: 'Get the request of a delivery',
    description:
      'Returns a delivery as its receiver gets it, with a new signature. Send it to a receiver that Trawl cannot reach, such as one on your computer.',
  })
  @ApiOkResponse({ type: DeliveryRequestDto })
  @ApiErrors('not_found')
  getRequest(
    @CurrentUser() user: SessionUser,
    @PathId('webhook_id') webhookId: string,
    @PathId('delivery_id') id: string,
  ): Promise<DeliveryRequestDto> {
    return this.deliveries.request(user.id, webhookId, id);
  }

  @Post(':webhook_id/deliveries/:delivery_id/resend')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'resendWebhookDelivery',
    summary: 'Send a delivery again',
    description:
      'Sends a delivery now, whatever its state, with the same id and body. If the attempt fails, Trawl retries it like a new one.',
  })
  @ApiOkResponse({ type: WebhookDeliveryDto })
  @ApiErrors('not_found', 'conflict')
  resend(
    @CurrentUser() user: SessionUser,
    @PathId('webhook_id') webhookId: string,
    @PathId('delivery_id') id: string,
  ): Promise<WebhookDeliveryDto> {
    return this.deliveries.resend(user.id, webhookId, id);
  }
}
