import { Body, Controller, Delete, Get, HttpCode, Post, Put, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser, type SessionUser } from '../../platform/auth/current-user.js';
import { DeletedDto } from '../../platform/common/entity.js';
import { ApiErrors } from '../../platform/http/api-errors.js';
import { ApiListResponse, type List, ListQuery } from '../../platform/http/lists/list-query.js';
import { PathId } from '../../platform/http/path-id.js';
import { Idempotent } from '../../platform/idempotency/idempotent.js';
import {
  AddedProxiesDto,
  AddProxiesDto,
  CreateProxyPoolDto,
  ProxyDto,
  ProxyPoolDto,
  ProxyPoolsQuery,
  UpdateProxyDto,
  UpdateProxyPoolDto,
} from './proxy-pools.dto.js';
import { SORTABLE, SORTABLE_PROXIES } from './proxy-pools.repository.js';
import { ProxyPoolsService } from './proxy-pools.service.js';

@ApiTags('Proxies')
@ApiBearerAuth()
@ApiErrors('validation_failed', 'unauthorized')
@Controller('joint-api/proxy-pools')
export class ProxyPoolsController {
  constructor(private readonly pools: ProxyPoolsService) {}

  @Get('list')
  @ApiOperation({
    operationId: 'listProxyPools',
    summary: 'List pools of proxies',
    description: 'Lists your pools of proxies, with the use of all their proxies together.',
  })
  @ApiListResponse(ProxyPoolDto, SORTABLE)
  list(@CurrentUser() user: SessionUser, @Query() query: ProxyPoolsQuery): Promise<List<ProxyPoolDto>> {
    return this.pools.list(user.id, query);
  }

  @Post('addnew')
  @Idempotent()
  @ApiOperation({
    operationId: 'createProxyPool',
    summary: 'Create a pool of proxies',
    description:
      'Creates a pool with the proxies of a list, or nothing if a line is wrong. Without a list, the pool is empty. Skripts name the pool in their field `proxy`.',
  })
  @ApiCreatedResponse({ type: ProxyPoolDto })
  @ApiErrors('name_taken', 'quota_exceeded')
  create(@CurrentUser() user: SessionUser, @Body() body: CreateProxyPoolDto): Promise<ProxyPoolDto> {
    return this.pools.create(user.id, body);
  }

  @Get(':proxyPool_id')
  @ApiOperation({
    operationId: 'getProxyPool',
    summary: 'Get a pool of proxies',
    description: 'Returns a pool with the use of all its proxies together.',
  })
  @ApiOkResponse({ type: ProxyPoolDto })
  @ApiErrors('not_found')
  get(@CurrentUser() user: SessionUser, @PathId('proxyPool_id') id: string): Promise<ProxyPoolDto> {
    return this.pools.get(user.id, id);
  }

  @Put(':proxyPool_id')
  @ApiOperation({
    operationId: 'updateProxyPool',
    summary: 'Update a pool of proxies',
    description:
      'Changes the fields that you send. If you rename a pool, runs of skripts with the old name fail until you change these skripts.',
  })
  @ApiOkResponse({ type: ProxyPoolDto })
  @ApiErrors('not_found', 'name_taken')
  update(
    @CurrentUser() user: SessionUser,
    @PathId('proxyPool_id') id: string,
    @Body() body: UpdateProxyPoolDto,
  ): Promise<ProxyPoolDto> {
    return this.pools.update(user.id, id, body);
  }

  @Delete(':proxyPool_id')
  @ApiOperation({
    operationId: 'deleteProxyPool',
    summary: 'Delete a pool of proxies',
    description: 'Deletes a pool with its proxies. Runs of skripts that name the pool fail from now on.',
  })
  @ApiOkResponse({ type: DeletedDto })
  @ApiErrors('not_found')
  delete(@CurrentUser() user: SessionUser, @PathId('proxyPool_id') id: string): Promise<DeletedDto> {
    return this.pools.delete(user.id, id);
  }

  @Get(':proxyPool_id/proxies/list')
  @ApiOperation({
    operationId: 'listProxies',
    summary: 'List the proxies of a pool',
    description: 'Lists the proxies with their health and use, without user names and passwords.',
  })
  @ApiListResponse(ProxyDto, SORTABLE_PROXIES)
  @ApiErrors('not_found')
  proxies(
    @CurrentUser() user: SessionUser,
    @PathId('proxyPool_id') id: string,
    @Query() query: ListQuery,
  ): Promise<List<ProxyDto>> {
    return this.pools.proxies(user.id, id, query);
  }

  @Post(':proxyPool_id/proxies/addnew')
  @Idempotent()
  @HttpCode(200)
  @ApiOperation({
    operationId: 'addProxies',
    summary: 'Add proxies to a pool',
    description: 'Adds the proxies of a list, or none of them if a line is wrong. Addresses are stored encrypted.',
  })
  @ApiOkResponse({ type: AddedProxiesDto })
  @ApiErrors('not_found', 'quota_exceeded')
  add(
    @CurrentUser() user: SessionUser,
    @PathId('proxyPool_id') id: string,
    @Body() { lines }: AddProxiesDto,
  ): Promise<AddedProxiesDto> {
    return this.pools.add(user.id, id, lines);
  }

  @Put(':proxyPool_id/proxies/:proxy_id')
  @ApiOperation({
    operationId: 'updateProxy',
    summary: 'Update the tags of a proxy',
    description: 'Changes the tags that you send. To change the address, add another proxy.',
  })
  @ApiOkResponse({ type: ProxyDto })
  @ApiErrors('not_found')
  updateProxy(
    @CurrentUser() user: SessionUser,
    @PathId('proxyPool_id') poolId: string,
    @PathId('proxy_id') id: string,
    @Body() body: UpdateProxyDto,
  ): Promise<ProxyDto> {
    return this.pools.updateProxy(user.id, poolId, id, body);
  }

  @Delete(':proxyPool_id/proxies/:proxy_id')
  @ApiOperation({
    operationId: 'deleteProxy',
    summary: 'Delete a proxy',
    description: 'Deletes a proxy of a pool. Runs that have already got the proxy may use it until they end.',
  })
  @ApiOkResponse({ type: DeletedDto })
  @ApiErrors('not_found')
  deleteProxy(
    @CurrentUser() user: SessionUser,
    @PathId('proxyPool_id') poolId: string,
    @PathId('proxy_id') id: string,
  ): Promise<DeletedDto> {
    return this.pools.deleteProxy(user.id, poolId, id);
  }
}
