import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { IssueStatus } from '@trawl/contracts';
import { notFound } from '../../platform/common/errors.js';
import { Cleanups } from '../../platform/database/cleanups.service.js';
import { DueWork } from '../../platform/database/due-work.service.js';
import type { List } from '../../platform/http/lists/list-query.js';
import type { AllIssuesQuery, IssueDto, IssuesListQuery, PlatformIssueDto } from './issues.dto.js';
import { HAS_FAILURES, IssuesRepository } from './issues.repository.js';

/** Groups failed runs by their cause. */
@Injectable()
export class IssuesService implements OnModuleInit {
  constructor(
    private readonly repository: IssuesRepository,
    private readonly dueWork: DueWork,
    private readonly cleanups: Cleanups,
  ) {}

  onModuleInit(): void {
    // Failures are counted after the runs have ended, so that an ending costs nothing more.
    this.dueWork.add('failures without issue', {
      everyMs: 1_000,
      find: () => HAS_FAILURES,
      run: () => this.countFailures(),
    });
    this.cleanups.add('issues', 'nightly', () => this.repository.deleteWithoutRuns());
  }

  /** Counts all failed runs that no issue has counted yet. */
  async countFailures(): Promise<void> {
    while ((await this.repository.countFailures()) > 0);
  }

  list(ownerId: string, query: IssuesListQuery): Promise<List<IssueDto>> {
    return this.repository.page(ownerId, query);
  }

  listAll(query: AllIssuesQuery): Promise<List<PlatformIssueDto>> {
    return this.repository.pageOfAll(query);
  }

  async get(ownerId: string, id: string): Promise<IssueDto> {
    return found(await this.repository.find(ownerId, id), id);
  }

  async update(ownerId: string, id: string, status: IssueStatus): Promise<IssueDto> {
    return found(await this.repository.setStatus(ownerId, id, status), id);
  }
}

function found(issue: IssueDto | null, id: string): IssueDto {
  if (!issue) throw notFound('issue', id);
  return issue;
}
