import { Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentUser, type SessionUser } from '../auth/current-user.js';
import { ApiErrors } from '../common/api-errors.js';
import { ApiListResponse, type List } from '../common/list-query.js';
import { PathId } from '../common/path-id.js';
import { VersionHash } from './version-hash.js';
import {
  CompareQuery,
  ComparisonDto,
  RestoredDto,
  VersionDto,
  VersionsQuery,
  VersionWithFilesDto,
} from './versions.dto.js';
import { VersionsService } from './versions.service.js';

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
    description: 'Every bundle that was built of it, the one that was built last first.',
  })
  @ApiListResponse(VersionDto)
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
    description: 'File by file, each change as a unified diff.',
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
  @ApiOperation({ operationId: 'getVersion', summary: 'Get a version of a skript', description: 'With its files.' })
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
      'The skript has the files of that version again, and its bundle, so it is not stale. Files that were added since are removed; inputs and settings stay as they are. Build the skript before you restore, and what it has now is a version, too. Runs that go on are not touched.',
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
