import { Body, Controller, Get, Put, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '../../platform/auth/auth.guard.js';
import { CurrentUser, type SessionUser } from '../../platform/auth/current-user.js';
import { ApiErrors } from '../../platform/http/api-errors.js';
import { ApiListResponse, type List } from '../../platform/http/lists/list-query.js';
import { PathId } from '../../platform/http/path-id.js';
import { AllIssuesQuery, IssueDto, IssuesListQuery, PlatformIssueDto, UpdateIssueDto } from './issues.dto.js';
import { SORTABLE } from './issues.repository.js';
import { IssuesService } from './issues.service.js';

@ApiTags('Issues')
@ApiBearerAuth()
@ApiErrors('validation_failed', 'unauthorized')
@Controller('joint-api/issues')
export class IssuesController {
  constructor(private readonly issues: IssuesService) {}

  @Get('list')
  @ApiOperation({
    operationId: 'listIssues',
    summary: 'List issues',
    description:
      'Lists the issues of your account: failed runs, grouped by cause. The issues with the latest failures come first.',
  })
  @ApiListResponse(IssueDto, SORTABLE)
  list(@CurrentUser() user: SessionUser, @Query() query: IssuesListQuery): Promise<List<IssueDto>> {
    return this.issues.list(user.id, query);
  }

  @Get('list-all')
  @Roles('admin')
  @ApiOperation({
    operationId: 'listAllIssues',
    summary: 'List the issues of all accounts',
    description:
      'Lists the issues of all accounts. The issues with the latest failures come first. Administrators only.',
  })
  @ApiListResponse(PlatformIssueDto, SORTABLE)
  @ApiErrors('forbidden')
  listAll(@Query() query: AllIssuesQuery): Promise<List<PlatformIssueDto>> {
    return this.issues.listAll(query);
  }

  @Get(':issue_id')
  @ApiOperation({
    operationId: 'getIssue',
    summary: 'Get an issue',
    description: 'Returns one issue. To get its runs, list the runs with its `issue_id`.',
  })
  @ApiOkResponse({ type: IssueDto })
  @ApiErrors('not_found')
  get(@CurrentUser() user: SessionUser, @PathId('issue_id') id: string): Promise<IssueDto> {
    return this.issues.get(user.id, id);
  }

  @Put(':issue_id')
  @ApiOperation({
    operationId: 'updateIssue',
    summary: 'Set the status of an issue',
    description: 'Resolves, mutes or opens an issue.',
  })
  @ApiOkResponse({ type: IssueDto })
  @ApiErrors('not_found')
  update(
    @CurrentUser() user: SessionUser,
    @PathId('issue_id') id: string,
    @Body() { status }: UpdateIssueDto,
  ): Promise<IssueDto> {
    return this.issues.update(user.id, id, status);
  }
}
