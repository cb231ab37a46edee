import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type Finish, type FinishAnswer, RETRYABLE_ERRORS, type RunErrorCode } from '@trawl/contracts';
import { WriteBatcher } from '../../../platform/common/batching/write-batcher.js';
import { Metrics } from '../../../platform/common/metrics.service.js';
import { SavedBytes } from '../../../platform/quotas/saved-bytes.service.js';
import { WorkerConnections } from '../../workers/connections/worker-connections.service.js';
import { WorkerWithdrawals } from '../../workers/worker-withdrawals.service.js';
import { EvidenceCollector } from '../evidence/evidence-collector.service.js';
import { ExecutionEvents } from '../records/execution-events.service.js';
import { toDto, waitingFor } from '../records/execution-rows.js';
import type { ExecutionDto } from '../records/executions.dto.js';
import type { ShownVerdict } from '../verdicts/judgement/verdict.js';
import { isGood } from '../verdicts/verdicts.repository.js';
import { VerdictsService } from '../verdicts/verdicts.service.js';
import {
  type EndedRow,
  type Ending,
  EndingsRepository,
  type FinishedRow,
  LEASE_EXPIRED,
  type RetriedRow,
  type WorkersFinish,
} from './endings.repository.js';

const NO_REPORT = { workerId: null, action: 'error', output: null, last_seq: null } as const;

/** The only place that ends runs. Publishes each ending after its commit. */
@Injectable()
export class EndingsService implements OnModuleInit {
  readonly #finishes = new WriteBatcher((items: WorkersFinish[]) => this.#writeAll(items));

  constructor(
    private readonly repository: EndingsRepository,
    private readonly events: ExecutionEvents,
    private readonly connections: WorkerConnections,
    private readonly withdrawals: WorkerWithdrawals,
    private readonly metrics: Metrics,
    private readonly savedBytes: SavedBytes,
    private readonly verdicts: VerdictsService,
    private readonly evidence: EvidenceCollector,
  ) {}

  onModuleInit(): void {
    this.withdrawals.onWithdrawn(() => this.endRunsOfWithdrawnWorkers());
  }

  /**
   * Ends a run as its worker reports. If the run had already ended, returns `late` and may note the report on the
   * execution.
   */
  finish(workerId: string, finish: Finish): Promise<FinishAnswer> {
    return this.#finishes.add({ ...finish, workerId });
  }

  /**
   * Ends runs with an error, because no worker will report their end. With `isFinal` they are not retried; use it if a
   * retry would fail in the same way. With `isFinal` and
   * `builder`, only runs whose bundle that backend still builds are ended.
   */
  async fail(
    ids: string[],
    error: { code: RunErrorCode; message: string },
    { isFinal = false, builder }: { isFinal?: boolean; builder?: string } = {},
  ): Promise<void> {
    if (ids.length === 0) return;
    if (isFinal) {
      this.#publish(await this.repository.fail(ids, error, builder ?? null));
      return;
    }
    const report = { ...NO_REPORT, error_code: error.code, error_stack: error.message };
    await this.#endWithRetries(ids.map(id => ({ ...report, id })));
  }

  /** Ends those of the given runs that have a stop command and no worker. */
  async endStoppedUnoffered(ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    this.#publish(await this.repository.endStoppedUnoffered(ids));
  }

  /** Fails the runs of every worker whose lease has expired by PostgreSQL's clock. */
  async endRunsOfLostWorkers(): Promise<void> {
    const lost = await this.repository.withExpiredLease();
    const report = { ...NO_REPORT, error_code: 'worker_lost', error_stack: workerLost('stopped responding') } as const;
    const endings = lost.map(id => ({ ...report, id }));
    if (lost.length > 0) await this.#endWithRetries(endings, LEASE_EXPIRED);
  }

  /** Fails runs of deleted workers, and runs that wait for a worker which their owner may no longer use. */
  async endRunsOfWithdrawnWorkers(): Promise<void> {
    this.#publish(await this.repository.failWithdrawn(WITHDRAWN));
  }

  /**
   * For disabled accounts, writes a stop command for each run on a worker and fails the waiting runs. Reconciliation
   * sends the stop commands, even if the account is enabled again before they are sent.
   */
  async endRunsOfDisabledAccounts(): Promise<void> {
    await this.repository.stopOfDisabledAccounts();
    this.#publish(await this.repository.failOfDisabledAccounts(DISABLED));
  }

  /**
   * Writes the gathered finishes together. If PostgreSQL refuses one of the values, writes each finish separately. The
   * refused finish is written with an error instead of its output, so that its run ends too and the others are not
   * delayed.
   */
  async #writeAll(finishes: WorkersFinish[]): Promise<FinishAnswer[]> {
    try {
      return await this.#writeFinishes(finishes);
    } catch (error) {
      if (!isRefusedValue(error)) throw error;
      if (finishes.length > 1) return (await Promise.all(finishes.map(finish => this.#writeAll([finish])))).flat();
      const [finish] = finishes as [WorkersFinish];
      return this.#writeFinishes([{ ...finish, ...OUTPUT_REFUSED }]);
    }
  }

  async #writeFinishes(finishes: WorkersFinish[]): Promise<FinishAnswer[]> {
    const retryable = finishes.filter(({ error_code }) => isRetried(error_code));
    const final = finishes.filter(({ error_code }) => !isRetried(error_code));
    const endedFinally = final.length > 0 ? await this.#endFinally(final) : [];
    const ended = new Set([
      ...endedFinally.map(({ id }) => id),
      ...(retryable.length > 0 ? await this.#endWithRetries(retryable) : []),
    ]);
    const judged = new Set(endedFinally.filter(row => row.is_judged).map(({ id }) => id));
    const left = finishes.filter(({ id }) => !ended.has(id));
    const answers = left.length > 0 ? await this.#endJudged(left) : new Map<string, FinishAnswer>();
    for (const finish of left) if (!answers.has(finish.id)) await this.repository.noteLate(finish);
    return finishes.map(({ id, action, exchanges = 0 }) => {
      if (!ended.has(id)) return answers.get(id) ?? { result: 'late' };
      const mayRead = exchanges > 0 && (action === 'error' || judged.has(id));
      return mayRead ? { result: 'ok', may_read: true } : { result: 'ok' };
    });
  }

  /** Judges and ends runs whose contract wants a verdict before their end. Those that are not good end with an error. */
  async #endJudged(finishes: WorkersFinish[]): Promise<Map<string, FinishAnswer>> {
    const verdicts = await this.verdicts.judgeFirst(finishes.filter(({ action }) => action === 'end'));
    const judged = finishes.flatMap(finish => {
      const verdict = verdicts.get(finish.id);
      if (!verdict) return [];
      return [isGood(verdict) ? { ...finish, isGood: true } : { ...finish, ...rowsBroken(verdict) }];
    });
    if (judged.length === 0) return new Map();
    const answers = await this.#writeFinishes(judged);
    return new Map(answers.map((answer, index) => [judged[index]?.id ?? '', answer]));
  }

  /** @returns the runs that ended now. */
  async #endFinally(finishes: WorkersFinish[]): Promise<FinishedRow[]> {
    const rows = await this.repository.finish(finishes);
    const outputs = new Map(finishes.map(({ id, output }) => [id, output]));
    for (const { id, owner_id } of rows) this.savedBytes.add(owner_id, Buffer.byteLength(outputs.get(id) ?? ''));
    const seeing = this.#collect(rows, finishes);
    const unjudged = rows.filter(row => !row.is_judged);
    this.#publish(unjudged, unjudged.map(toDto));
    for (const row of rows) {
      if (!row.is_judged) continue;
      this.#free(row);
      void this.#judge(row, seeing.has(row.id));
    }
    return rows;
  }

  /** Publishes the end of a run when it has its verdict. Its slot has been freed before. */
  async #judge(row: FinishedRow, hasSeen: boolean): Promise<void> {
    const verdict = await this.verdicts.judge(row.id);
    if (hasSeen && verdict?.level === 'broken') this.evidence.collect(row);
    this.#publishEnd(row, toDto({ ...row, verdict }));
  }

  /** Keeps what failed runs saw. Returns the ids of all runs of which the worker has something to see. */
  #collect(ended: EndedRow[], endings: Pick<Ending, 'id' | 'action' | 'exchanges'>[]): Set<string> {
    const seeing = new Map(endings.filter(({ exchanges = 0 }) => exchanges > 0).map(({ id, action }) => [id, action]));
    for (const row of ended) if (seeing.get(row.id) === 'error') this.evidence.collect(row);
    return new Set(seeing.keys());
  }

  /** @returns the ids of the runs that ended now. */
  async #endWithRetries(endings: Ending[], condition?: string): Promise<string[]> {
    const rows = await this.repository.endWithRetries(endings, condition);
    this.#collect(rows, endings);
    this.#publish(rows);
    for (const row of rows) this.#publishRetry(row);
    return rows.map(row => row.id);
  }

  #publishRetry({ owner_id, next_id, next_worker_id, next_at, next_action, updated_at }: RetriedRow): void {
    if (next_id === null || next_at === null) return;
    this.events.publish({
      id: next_id,
      owner_id,
      worker_id: next_worker_id,
      action: next_action,
      waiting_for: waitingFor({
        action: next_action,
        waiting_reason: 'retry_scheduled',
        waiting_since: updated_at,
        run_after: next_at,
      }),
      updated_at,
    });
  }

  /** @param complete the same runs in the form that the API returns, if already known. */
  #publish(rows: EndedRow[], complete: ExecutionDto[] = []): void {
    for (const [index, row] of rows.entries()) {
      this.#free(row);
      this.#publishEnd(row, complete[index]);
    }
  }

  /** Frees the slot of a run that has ended, so that the next one can start. */
  #free({ id, owner_id, worker_id, action, error_code }: EndedRow): void {
    this.metrics.runsEnded.inc({ action, error_code: error_code ?? '' });
    if (!worker_id) return;
    this.connections.get(worker_id)?.offered.delete(id);
    this.events.publishFreed({ worker_id, owner_id });
  }

  #publishEnd({ id, owner_id, worker_id, action, error_code, updated_at }: EndedRow, ended?: ExecutionDto): void {
    this.events.publish({ id, owner_id, worker_id, action, error_code, updated_at, ended });
  }
}

/** Returns the `error_stack` for a run that lost its worker. */
export const workerLost = (event: 'restarted' | 'stopped responding'): string =>
  `The worker ${event} during this run. Trawl starts the run again only if it has retries left. ` +
  'Everything it stored or echoed before is kept.';

const DISABLED =
  'The account was disabled while this run waited for a worker or for its next attempt. Trawl does not start it again.';
const WITHDRAWN =
  'The worker of this run was deleted, or you may no longer use it. Start the skript on another worker, or on `any`.';

const OUTPUT_REFUSED = {
  action: 'error',
  output: null,
  error_code: 'output_not_json',
  error_stack: 'The value that main.js returned is nested too deeply for the database to store as JSON.',
} as const;

const rowsBroken = ({ findings }: ShownVerdict) =>
  ({
    action: 'error',
    output: null,
    error_code: 'rows_broken',
    error_stack: findings.map(({ text }) => text).join('\n'),
  }) as const;

const isRetried = (code: string | null): boolean => (RETRYABLE_ERRORS as readonly (string | null)[]).includes(code);

/**
 * Returns whether PostgreSQL refused a value. True for these SQLSTATE classes: invalid value (22), value too complex to
 * parse (54).
 */
const isRefusedValue = (error: unknown): boolean => /^(22|54)/.test(String((error as { code?: unknown }).code));
