import { Injectable } from '@nestjs/common';
import type { CallLimits } from '../../../data/postgres/sessions/call-guard.js';
import { toApiError, toPostgresFailure } from '../../../data/postgres/sessions/postgres-failures.js';
import { LostCommit, type Session } from '../../../data/postgres/sessions/session.js';
import { TransactionOutcomesService } from '../../../data/postgres/sessions/transaction-outcomes.service.js';
import { UserSessionsService } from '../../../data/postgres/sessions/user-sessions.service.js';
import { STATEMENT_MS } from '../../../data/postgres/sessions/user-statements.service.js';
import { PostgresUsageService } from '../../../data/postgres/usage/postgres-usage.service.js';
import { ApiError } from '../../../platform/common/errors.js';
import { Contention } from '../../../platform/common/shares/contention.service.js';
import type { JobContext, TakenJob } from '../../../platform/jobs/job-kinds.service.js';
import type { Import } from '../import.entity.js';
import type { ImportResult, TableParams } from '../import-params.js';
import { ImportsRepository } from '../imports.repository.js';
import { held } from '../moving/aborts.js';
import { BadRowsWriter } from '../moving/bad-rows-writer.js';
import type { CommitPlan } from '../moving/move-rows.js';
import { stageRows } from '../moving/stage-rows.js';
import { ImportPlansService } from './import-plans.service.js';
import { valuesReader } from './table-values.js';
import { isCreatedElsewhere, isStillCreated, TableWriter } from './table-writer.js';

type TableJob = TakenJob<TableParams>;

/**
 * Imports rows into a table in one transaction. A killed backend leaves no rows behind. The backend that
 * continues the import asks PostgreSQL whether the transaction was committed.
 */
@Injectable()
export class TableImportService {
  constructor(
    private readonly imports: ImportsRepository,
    private readonly sessions: UserSessionsService,
    private readonly outcomes: TransactionOutcomesService,
    private readonly usage: PostgresUsageService,
    private readonly contention: Contention,
    private readonly plans: ImportPlansService,
  ) {}

  /** @throws {ApiError} if the rows cannot be imported. Then the table has not changed. */
  async run(job: TableJob, context: JobContext, row: Import): Promise<ImportResult> {
    try {
      const earlier = row.move?.way === 'commit' ? await this.#outcomeOf(job, row.move) : null;
      if (earlier) return earlier;
      await held(context.signal, this.imports.beginStaging(job.params.import_id, job, null, null));
      const fullness = await this.usage.fullness(job.owner_id);
      if (fullness) throw fullness;
      return await this.#importInto(job, context, row);
    } catch (error) {
      if (context.signal.aborted) throw context.signal.reason;
      const failure = toPostgresFailure(error);
      throw failure ? toApiError(failure) : error;
    } finally {
      this.usage.markChanged(job.owner_id);
    }
  }

  /** Returns the result of a transaction that an earlier attempt has committed; null if it was rolled back. */
  async #outcomeOf(job: TableJob, plan: CommitPlan): Promise<ImportResult | null> {
    const outcome = await this.outcomes.find(job.owner_id, plan.xid);
    if (outcome === 'committed') return { inserted: plan.inserted, updated: plan.updates };
    if (outcome === 'unknown') throw new LostCommit();
    await this.imports.forgetMove(job.params.import_id);
    return null;
  }

  /** If something else creates the table meanwhile, such as another import, the rows go into that one. */
  async #importInto(job: TableJob, context: JobContext, row: Import): Promise<ImportResult> {
    try {
      return await this.sessions.use(job.owner_id, session => this.#import(job, context, row, session));
    } catch (error) {
      if (context.signal.aborted || !job.params.creates || !isCreatedElsewhere(error)) throw error;
      const params = isStillCreated(error)
        ? job.params
        : await this.plans.forCreatedMeanwhile(job.owner_id, job.params);
      if (!params) throw error;
      return this.#importInto({ ...job, params }, context, row);
    }
  }

  async #import(job: TableJob, context: JobContext, row: Import, session: Session): Promise<ImportResult> {
    const { owner_id, params } = job;
    const check = await this.usage.growthCheck(owner_id);
    const within = <T>(work: () => Promise<T>): Promise<T> =>
      session.within({ timeMs: STATEMENT_MS, signal: context.signal, check }, work);
    const writer = new TableWriter(session, params);
    const badRows = new BadRowsWriter(this.imports, job, context.signal);
    await within(() => writer.begin());
    const toValues = valuesReader(params.reading, params.names, params.columns, params.key);
    const staged = await stageRows({
      source: {
        ...this.imports.source(params.import_id),
        open: () => this.contention.paced(owner_id, this.imports.read(params.import_id, 'source')),
      },
      reading: params.reading,
      convert: (sent, number) => {
        const values = toValues(sent);
        return { stored: { number, values }, bytes: values.reduce((sum, value) => sum + (value?.length ?? 0) + 1, 0) };
      },
      signal: context.signal,
      store: rows => within(() => writer.store(rows)),
      onBadRow: (number, reason, sent) => badRows.add(number, reason, sent),
      onProgress: rows => context.progress({ rows_read: rows, rows_moved: 0 }),
    });
    await badRows.flush();
    if (badRows.count > 0 && (!params.skip_bad_rows || staged.rows === 0)) throw badRows.failure();
    const { inserted, updated } = writer;
    if (staged.rows > 0 && inserted + updated === 0) throw storedNone(staged.rows);
    const full = await check();
    if (full) throw full;
    const xid = await within(() => writer.prepare());
    const since = (await this.imports.now()).toISOString();
    const plan: CommitPlan = {
      way: 'commit',
      since,
      xid,
      last: staged.last,
      rows: staged.rows,
      inserted,
      updates: updated,
    };
    await held(context.signal, this.imports.beginMoving(params.import_id, job, plan, row.id_prefix));
    await this.#commit(session, params.import_id, check);
    context.progress({ rows_read: staged.last, rows_moved: inserted + updated });
    return { inserted, updated };
  }

  /** If it is not known whether the transaction is committed, the next attempt finds out. */
  async #commit(session: Session, importId: string, check: CallLimits['check']): Promise<void> {
    try {
      // Deferred triggers of the user may write here.
      if (await session.within({ timeMs: STATEMENT_MS, check }, () => session.commit())) return;
      throw new ApiError('storage_rejected', 'PostgreSQL rolled the transaction back.');
    } catch (error) {
      if (!(error instanceof LostCommit)) await this.imports.forgetMove(importId);
      throw error;
    }
  }
}

const storedNone = (rows: number): ApiError =>
  new ApiError(
    'storage_rejected',
    `The table stored none of the ${rows} rows, because its triggers, rules or row security left them out.`,
  );
