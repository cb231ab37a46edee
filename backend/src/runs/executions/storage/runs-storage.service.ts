import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import {
  type Finish,
  isLive,
  isPoliteOperation,
  isProxyOperation,
  isQueueOperation,
  isSessionOperation,
  type PostgresAnswer,
  type PostgresFrame,
  type PostgresResult,
  type StorageAnswer,
  type StorageFrame,
  type StorageOperation,
} from '@trawl/contracts';
import { deserialize, serialize } from 'bson';
import type { Logger } from 'pino';
import type { Subscription } from 'rxjs';
import { PostgresOperationsService } from '../../../data/postgres/runs/postgres-operations.service.js';
import { StorageFailure } from '../../../data/storage/mongodb/storage-failures.js';
import { StorageOperationsService } from '../../../data/storage/runs/storage-operations.service.js';
import { LOGGER } from '../../../platform/common/logger.js';
import { PoliteCalls } from '../../polite/polite-calls.service.js';
import { ProxyCalls } from '../../proxies/proxy-calls.service.js';
import { QueueOperationsService } from '../../queues/queue-operations.service.js';
import type { RowsToCheck } from '../../skripts/contracts/row-check.js';
import { SchemaThreads } from '../../skripts/contracts/schema-threads.service.js';
import type { WorkerLink } from '../../workers/connections/worker-connections.service.js';
import { LiveRunsRepository, type OwnedRun } from '../dispatch/live-runs.repository.js';
import { RunTokens } from '../dispatch/run-tokens.service.js';
import { InsertedRowsService, type InsertingRun } from '../recordings/inserted-rows.service.js';
import { ExecutionEvents } from '../records/execution-events.service.js';
import type { RunReport } from '../records/executions.repository.js';
import { ExecutionsService } from '../records/executions.service.js';
import { SessionCalls } from '../site-sessions/session-calls.service.js';
import { bsonRowsIn } from '../verdicts/profile/json-rows.js';
import { DATASET } from '../verdicts/profile/run-profile.js';
import { RunProfiler, targetOf } from '../verdicts/profile/run-profiler.js';
import { SchemaChecker } from '../verdicts/profile/schema-checker.js';
import { VerdictsService } from '../verdicts/verdicts.service.js';
import { insertOfReplay, isOfUser, queueOfReplay, sentRows, storageOfReplay } from './replay-storage.js';
import { RowCounts } from './row-counts.service.js';

/**
 * Number of latest operations of a run whose numbers are kept, to recognise repeated frames. At most 64 operations of a
 * run are in progress at the same time: 32 of MongoDB and 32 of PostgreSQL.
 */
const REMEMBERED_OPERATIONS = 1_024;

/** Fewer rows are not packed: the bytes go in a frame of their own, which costs, too. */
const MIN_PACKED_ROWS = 100;

const RUN_ENDED = {
  error: { code: 'run_ended', message: 'This run has ended and can no longer use storage.' },
} as const;

interface StoringRun extends OwnedRun, InsertingRun {
  epoch: number;
  /** The numbers (`op_id`) of the latest operations in this epoch. Those of PostgreSQL are stored as `-1 - op_id`. */
  operations: Set<number>;
  /** Number of rows after the latest successful insert, as the run counts them. */
  rows: number;
  /** Rows that failed inserts have stored. The run does not know of them. */
  uncountedRows: number;
  /** Whether the run has stored rows with a key through this backend. */
  hasKeyedRows?: boolean;
  /** Missing until the run stores rows. */
  profiler?: RunProfiler;
}

type FinishedRun = Pick<Finish, 'id' | 'action' | 'rows' | 'writes' | 'requests'>;

/** Carries out storage operations of runs. Reads the run's owner from the database instead of trusting the worker. */
@Injectable()
export class RunsStorageService implements OnModuleInit, OnModuleDestroy {
  /** Live runs that have used storage. */
  readonly #runs = new Map<string, StoringRun>();
  #subscription?: Subscription;

  constructor(
    private readonly liveRuns: LiveRunsRepository,
    private readonly operations: StorageOperationsService,
    private readonly postgres: PostgresOperationsService,
    private readonly sessions: SessionCalls,
    private readonly queues: QueueOperationsService,
    private readonly polite: PoliteCalls,
    private readonly proxies: ProxyCalls,
    private readonly tokens: RunTokens,
    private readonly events: ExecutionEvents,
    private readonly executions: ExecutionsService,
    private readonly rowCounts: RowCounts,
    private readonly inserted: InsertedRowsService,
    private readonly verdicts: VerdictsService,
    private readonly schemas: SchemaThreads,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.#subscription = this.events.changes.subscribe(({ id, action }) => {
      if (!isLive(action)) void this.#end(id);
    });
  }

  onModuleDestroy(): void {
    this.#subscription?.unsubscribe();
  }

  /**
   * Carries out an operation. Returns null if the same frame has already arrived on this connection, because only the
   * first copy is carried out and answered. When a worker repeats an operation on purpose, it uses a new connection and
   * marks the operation as repeated.
   */
  async run(link: WorkerLink, frame: StorageFrame): Promise<StorageAnswer | null> {
    const run = await this.#runOf(link, frame);
    if (!run) return RUN_ENDED;
    if (isRepeat(run, link.epoch, frame.op_id)) return null;
    const { id } = frame;
    const { ownerId, firstId, attempt } = run;
    const isReplay = run.replayOf !== null;
    if (isSessionOperation(frame.op)) return this.sessions.run({ ownerId, executionId: id, isReplay }, frame.op);
    if (isPoliteOperation(frame.op)) return this.polite.run(ownerId, id, frame.op);
    if (isProxyOperation(frame.op)) return this.proxies.run(ownerId, id, frame.op);
    if (isQueueOperation(frame.op)) return isReplay ? queueOfReplay(frame.op) : this.queues.run(ownerId, id, frame.op);
    let sent = 0;
    if (isReplay || run.isRecorded) {
      try {
        sent = await this.#keepDocuments(run, frame.op_id, frame.op);
      } catch (error) {
        if (!(error instanceof StorageFailure)) throw error;
        return { error: { code: error.code, message: error.message } };
      }
    }
    const replayed = isReplay ? storageOfReplay(frame.op, run.skriptId, sent) : { op: frame.op };
    if ('answer' in replayed) return replayed.answer;
    const { op } = replayed;
    run.hasKeyedRows ||= op.method === 'upsertRows';
    let checking: Promise<void> | undefined;
    const answer = await this.operations.run(ownerId, id, op, { firstId, attempt }, (docs, count) => {
      const target =
        op.rows === undefined ? targetOf({ store: 'mongodb', database: op.db, name: op.collection }) : DATASET;
      checking = this.#profilerOf(run).addDocuments(target, docs, count);
    });
    // A run that pushes faster than its rows are checked waits here, so that they do not fill the memory.
    if (checking) await checking;
    if (op.rows === undefined) return answer;
    if (!('error' in answer)) run.rows = op.rows;
    // The worker repeats what was unavailable.
    else if (answer.error.code === 'storage_unavailable') return answer;
    else run.uncountedRows = Math.max(0, (await this.#storedRows(run, id, op)) - run.rows);
    this.rowCounts.note({ id, workerId: link.workerId, rows: run.rows + run.uncountedRows });
    return answer;
  }

  /** Carries out a PostgreSQL operation in the same way. */
  async runPostgres(link: WorkerLink, frame: PostgresFrame): Promise<PostgresAnswer | null> {
    const answer = await this.#runPostgres(link, frame);
    return answer && frame.packs_rows ? withPackedRows(answer) : answer;
  }

  async #runPostgres(link: WorkerLink, frame: PostgresFrame): Promise<PostgresAnswer | null> {
    const { id, op_id, op, resend, table } = frame;
    const run = await this.#runOf(link, frame);
    if (!run) return RUN_ENDED;
    if (isRepeat(run, link.epoch, -1 - op_id)) return null;
    const isReplay = run.replayOf !== null;
    if (op.method === 'query' && table !== undefined && (isReplay || run.isRecorded)) {
      const [text] = op.params ?? [];
      const rows = typeof text === 'string' ? bsonRowsIn(text) : [];
      await this.inserted.keep(run, targetOf({ store: 'postgresql', name: table }), op_id, Buffer.concat(rows));
      if (isReplay) return insertOfReplay(rows.length, table);
    }
    const caller = { ownerId: run.ownerId, executionId: id, connection: link.socket, mayOnlyRead: isReplay };
    if (op.method !== 'query') return this.postgres.run(caller, op, resend);
    const answer = await this.postgres.run(caller, { ...op, table }, resend);
    const [rows] = op.params ?? [];
    if (table !== undefined && typeof rows === 'string' && 'result' in answer && 'row_count' in answer.result) {
      this.#profilerOf(run).addJson(targetOf({ store: 'postgresql', name: answer.result.table ?? table }), rows);
    }
    return answer;
  }

  /**
   * Saves the number of rows of a run that ends, and the profile of its rows if it ends well.
   *
   * @param finish `rows` is the number that its worker has seen: this backend may have been restarted since
   * @throws an error of PostgreSQL
   */
  async settle({ workerId }: WorkerLink, finish: FinishedRun): Promise<void> {
    const { id, action, rows, writes, requests } = finish;
    if (rows !== undefined) this.rowCounts.note({ id, workerId, rows });
    await this.rowCounts.settle(id);
    const isBlocked = requests?.some(({ blocked }) => blocked);
    if (action !== 'end' || (rows === undefined && !writes?.length && !isBlocked)) return;
    const run = this.#runs.get(id);
    await run?.profiler?.checked();
    const mayHaveKeys = rows !== undefined && (!run || hasKeys(run, rows));
    await this.verdicts.saveProfile(workerId, finish, { profiler: run?.profiler, mayHaveKeys });
  }

  /** Saves what live runs have written and used, as their worker counts it. Never throws: the end of a run has it, too. */
  async noteWrites({ workerId }: WorkerLink, runs: RunReport[]): Promise<void> {
    try {
      await this.executions.noteWrites(workerId, runs);
    } catch (error) {
      this.logger.warn({ err: error }, 'saving what runs have written failed; their workers report it again');
    }
  }

  /**
   * Keeps the rows that a call of a recorded run or of a replay sends to a collection of the user. Returns the number of
   * rows of a call to any collection.
   *
   * @throws {StorageFailure} for wrong arguments
   */
  async #keepDocuments(run: StoringRun, n: number, op: StorageOperation): Promise<number> {
    const rows = sentRows(op);
    if (!rows) return 0;
    if (isOfUser(op.collection, run.skriptId)) {
      const target = targetOf({ store: 'mongodb', database: op.db, name: op.collection });
      await this.inserted.keep(run, target, n, rows.bytes);
    }
    return rows.count;
  }

  #profilerOf(run: StoringRun): RunProfiler {
    const { ownerId, contract } = run;
    const check = (task: RowsToCheck) => this.schemas.checkRows(ownerId, task);
    run.profiler ??= new RunProfiler(contract?.schema && new SchemaChecker(contract.schema, check));
    return run.profiler;
  }

  async #runOf(link: WorkerLink, { id, token }: Pick<StorageFrame, 'id' | 'token'>): Promise<StoringRun | null> {
    const isOfThisBoot = this.tokens.matches(token, id, link.workerId, link.bootId);
    return isOfThisBoot ? (this.#runs.get(id) ?? (await this.#lookUp(link, id)) ?? null) : null;
  }

  /** Counts the rows of a run after an insert that may have stored some of its rows. */
  async #storedRows({ ownerId, rows }: StoringRun, id: string, { db, collection }: StorageOperation): Promise<number> {
    const args = serialize({ filter: { _run: id } });
    const count: StorageOperation = { db, collection, method: 'countDocuments', args, resend: false };
    const answer = await this.operations.run(ownerId, id, count);
    return 'error' in answer ? rows : deserialize(answer.result).count;
  }

  async #end(id: string): Promise<void> {
    this.#runs.delete(id);
    try {
      await Promise.all([this.operations.end(id), this.postgres.end(id)]);
    } catch (error) {
      this.logger.warn(
        { err: error, execution: id },
        'closing the cursors of a run failed; the databases will close them',
      );
    }
  }

  async #lookUp(link: WorkerLink, id: string): Promise<StoringRun | undefined> {
    const owner = await this.liveRuns.ownerOf(link, id);
    // A concurrent operation of the same run may have added the run during the lookup.
    if (owner && !this.#runs.has(id)) {
      this.#runs.set(id, { id, ...owner, epoch: link.epoch, operations: new Set(), rows: 0, uncountedRows: 0 });
    }
    return this.#runs.get(id);
  }
}

/** Whether rows of the run may have a key: this backend has seen one, or has not seen all rows of the run and its attempts. */
const hasKeys = ({ hasKeyedRows, attempt, rows, uncountedRows }: StoringRun, allRows: number): boolean =>
  hasKeyedRows === true || attempt > 1 || allRows > rows + uncountedRows;

function isRepeat(run: StoringRun, epoch: number, operation: number): boolean {
  if (epoch !== run.epoch) Object.assign(run, { epoch, operations: new Set() });
  if (run.operations.has(operation)) return true;
  run.operations.add(operation);
  const [oldest] = run.operations;
  if (run.operations.size > REMEMBERED_OPERATIONS) run.operations.delete(oldest as number);
  return false;
}

/** Writes the rows of an answer as JSON, which is read only by the run. */
function withPackedRows(answer: PostgresAnswer): PostgresAnswer {
  if (!('result' in answer && 'fields' in answer.result) || answer.result.rows.length < MIN_PACKED_ROWS) return answer;
  const { result } = answer;
  return { result: { ...result, rows: [] } as PostgresResult, packed_rows: Buffer.from(JSON.stringify(result.rows)) };
}
