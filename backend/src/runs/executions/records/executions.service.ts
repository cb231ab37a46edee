import { Injectable } from '@nestjs/common';
import type { DeletedDto } from '../../../platform/common/entity.js';
import { ApiError, notFound } from '../../../platform/common/errors.js';
import type { List } from '../../../platform/http/lists/list-query.js';
import { toDto } from './execution-rows.js';
import {
  type AllExecutionsQuery,
  type DeletedExecutionsDto,
  type DeleteExecutionsDto,
  type ExecutionDto,
  type ExecutionsListQuery,
  type LatestRunsDto,
  type ListedExecutionDto,
  MAX_DELETED_RUNS,
  type PlatformExecutionDto,
} from './executions.dto.js';
import { deleteDataOfRuns, ExecutionsRepository, type RowCount, type RunReport } from './executions.repository.js';

const IS_LIVE = 'This run is still live. Stop it before you delete it.';
const RETRY_IS_LIVE = 'A retry of this run is still live. Stop it before you delete this run.';

@Injectable()
export class ExecutionsService {
  constructor(private readonly executions: ExecutionsRepository) {}

  list(ownerId: string, query: ExecutionsListQuery): Promise<List<ListedExecutionDto>> {
    return this.executions.page(ownerId, query);
  }

  listAll(query: AllExecutionsQuery): Promise<List<PlatformExecutionDto>> {
    return this.executions.pageOfAll(query);
  }

  async latestOfSkripts(ownerId: string, skriptIds: string[]): Promise<LatestRunsDto> {
    return { items: await this.executions.latestOfSkripts(ownerId, skriptIds) };
  }

  /** Returns the executions with these ids that belong to the owner. */
  async ofIds(ownerId: string, ids: string[]): Promise<ExecutionDto[]> {
    return (await this.executions.findByIds(ownerId, ids)).map(toDto);
  }

  /** @throws {ApiError} 404. */
  async get(ownerId: string, id: string): Promise<ExecutionDto> {
    const [execution] = await this.ofIds(ownerId, [id]);
    if (!execution) throw notFound('skript execution', id);
    return execution;
  }

  /** Returns the id of the retry after this attempt; null if there is none. */
  nextAttempt(ownerId: string, { id, retry_of, attempt }: ExecutionDto): Promise<string | null> {
    return this.executions.findAttempt(ownerId, { firstId: retry_of ?? id, afterId: id, attempt: attempt + 1 });
  }

  /** Records that the worker has saved a run's echoes up to this number. */
  noteSavedEchoes(workerId: string, id: string, seq: number): Promise<void> {
    return this.executions.raiseLastSeq(workerId, id, seq);
  }

  /** Records how many rows runs have stored. */
  noteStoredRows(counts: RowCount[]): Promise<void> {
    return this.executions.raiseRowCounts(counts);
  }

  /** Saves what live runs of a worker have written and used. If that fails, the next report has it. */
  async noteWrites(workerId: string, runs: RunReport[]): Promise<void> {
    await this.executions.saveWrites(workerId, runs);
  }

  /** @throws {ApiError} 404, 409 `has_live_run` while the run or a retry of it is live. */
  delete(ownerId: string, id: string): Promise<DeletedDto> {
    return this.executions.transaction(async manager => {
      if (!(await this.executions.deleteEnded(manager, ownerId, id))) {
        const live = await this.executions.findLiveOfChain(manager, ownerId, id);
        if (live) throw new ApiError('has_live_run', live === id ? IS_LIVE : RETRY_IS_LIVE);
        throw notFound('skript execution', id);
      }
      const echo_chunks = await deleteDataOfRuns(manager, [id]);
      return { deleted: { skript_executions: 1, echo_chunks } };
    });
  }

  /**
   * Deletes runs that have ended and match all given fields. Keeps live runs, and runs with a live retry.
   * @throws {ApiError} 400 without any field.
   */
  async deleteMany(
    ownerId: string,
    filter: DeleteExecutionsDto,
  ): Promise<{ ids: string[]; answer: DeletedExecutionsDto }> {
    if (Object.values(filter).every(value => value === undefined)) {
      const message = 'or a filter is missing; to delete all your runs, send created_to';
      throw new ApiError('validation_failed', `ids ${message}.`, [{ field: 'ids', message: `ids ${message}` }]);
    }
    const { ids, deleted } = await this.executions.transaction(manager =>
      this.executions.deleteMany(manager, ownerId, filter, MAX_DELETED_RUNS),
    );
    const more = ids.length === MAX_DELETED_RUNS && filter.ids === undefined;
    const gone = new Set(ids);
    const kept = (filter.ids ?? []).filter(id => !gone.has(id.toLowerCase()));
    return { ids, answer: { deleted, more, kept } };
  }
}
