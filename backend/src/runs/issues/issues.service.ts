import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { IssueStatus } from '@trawl/contracts';
import type { Logger } from 'pino';
import { notFound } from '../../platform/common/errors.js';
import { LOGGER } from '../../platform/common/logger.js';
import { isDatabaseUnavailable } from '../../platform/common/postgres-errors.js';
import { Cleanups } from '../../platform/database/cleanups.service.js';
import { DueWork } from '../../platform/database/due-work.service.js';
import type { List } from '../../platform/http/lists/list-query.js';
import type { AllIssuesQuery, IssueDto, IssuesListQuery, PlatformIssueDto } from './issues.dto.js';
import { HAS_FAILURES, IssuesRepository } from './issues.repository.js';

const BATCH = 200;

/** Groups failed runs by their cause. */
@Injectable()
export class IssuesService implements OnModuleInit {
  #counting: Promise<void> | undefined;

  constructor(
    private readonly repository: IssuesRepository,
    private readonly dueWork: DueWork,
    private readonly cleanups: Cleanups,
    @Inject(LOGGER) private readonly logger: Logger,
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
  countFailures(): Promise<void> {
    this.#counting ??= this.#countAll().finally(() => {
      this.#counting = undefined;
    });
    return this.#counting;
  }

  async #countAll(): Promise<void> {
    while ((await this.#countBatch()) > 0);
  }

  /** Counts a batch; run by run if PostgreSQL refuses the batch, and without the run that it refuses. */
  async #countBatch(): Promise<number> {
    try {
      return await this.repository.countFailures(BATCH);
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
    }
    try {
      return await this.repository.countFailures(1);
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      this.logger.error({ err: error }, 'failed to count a failed run in an issue; leaving it out');
      await this.repository.dropOldestFailure();
      return 1;
    }
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
