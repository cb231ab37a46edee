import { Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser, type SessionUser } from '../../../platform/auth/current-user.js';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { ApiListResponse, type List } from '../../../platform/http/lists/list-query.js';
import { PathId } from '../../../platform/http/path-id.js';
import { VersionHash } from './version-hash.js';
import {
  CompareQuery,
  ComparisonDto,
  RestoredDto,
  VersionDto,
  VersionsQuery,
  VersionWithFilesDto,
} from './versions.dto.js';
import { SORTABLE, VersionsService } from './versions.service.js';

@ApiTags('Versions')
@ApiBearerAuth()
@ApiErrors('validation_failed', 'unauthorized', 'not_found')
@Controller('joint-api/skripts/:skript_id/versions')
export class VersionsController {
  constructor(private readonly versions: VersionsService) {}

  @Get('list')
  @ApiOperation({
    operationId: 'listVersions',
    summary: 'List the versions of a skript',
    description: 'Each bundle that was built from the skript is a version. Returns the most recent build first.',
  })
  @ApiListResponse(VersionDto, SORTABLE)
  list(
    @CurrentUser() user: SessionUser,
    @PathId('skript_id') id: string,
    @Query() query: VersionsQuery,
  ): Promise<List<VersionDto>> {
    return this.versions.list(user.id, id, query);
  }

  @Get('compare')
  @ApiOperation({
    operationId: 'compareVersions',
    summary: 'Compare two versions of a skript',
    description: 'Returns the files that differ, each with a unified diff.',
  })
  @ApiOkResponse({ type: ComparisonDto })
  compare(
    @CurrentUser() user: SessionUser,
    @PathId('skript_id') id: string,
    @Query() { from, to }: CompareQuery,
  ): Promise<ComparisonDto> {
    return this.versions.compare(user.id, id, from, to);
  }

  @Get(':hash')
  @ApiOperation({
    operationId: 'getVersion',
    summary: 'Get a version of a skript',
    description: 'Returns the version with its files.',
  })
  @ApiOkResponse({ type: VersionWithFilesDto })
  get(
    @CurrentUser() user: SessionUser,
    @PathId('skript_id') id: string,
    @VersionHash() hash: string,
  ): Promise<VersionWithFilesDto> {
    return this.versions.get(user.id, id, hash);
  }

  @Post(':hash/restore')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'restoreVersion',
    summary: 'Restore a version of a skript',
    description:
      'Replaces the skript’s files and bundle with those of the version. Removes files added since; keeps inputs, settings and live runs. To keep the current files as a version, build the skript first.',
  })
  @ApiOkResponse({ type: RestoredDto })
  @ApiErrors('payload_too_large')
  restore(
    @CurrentUser() user: SessionUser,
    @PathId('skript_id') id: string,
    @VersionHash() hash: string,
  ): Promise<RestoredDto> {
    return this.versions.restore(user.id, id, hash);
  }
}
