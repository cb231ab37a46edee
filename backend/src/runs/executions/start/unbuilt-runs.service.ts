import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { isLive, type RunErrorCode } from '@trawl/contracts';
import type { Logger } from 'pino';
import type { Subscription } from 'rxjs';
import { DataSource } from 'typeorm';
import { BACKEND_ID } from '../../../platform/common/config.js';
import { ApiError } from '../../../platform/common/errors.js';
import { LOGGER } from '../../../platform/common/logger.js';
import { OutageLog } from '../../../platform/common/outage-log.js';
import { isDatabaseUnavailable } from '../../../platform/common/postgres-errors.js';
import { DueWork } from '../../../platform/database/due-work.service.js';
import { BundlesService, type RunnableSkript } from '../../skripts/bundles/bundles.service.js';
import type { ResolutionProgress } from '../../skripts/bundles/locks.service.js';
import { RegistryFailed } from '../../skripts/bundles/resolution-queue.js';
import { WorkersRepository } from '../../workers/workers.repository.js';
import { OffersService } from '../dispatch/offers.service.js';
import { EndingsService } from '../end/endings.service.js';
import { ExecutionEvents } from '../records/execution-events.service.js';
import { waitingChange } from '../records/execution-rows.js';
import { StartTargets } from './start-targets.service.js';
import {
  adoptUnbuilt,
  findBuilderWork,
  findUnbuilt,
  giveBundle,
  setProgress,
  type UnbuiltRun,
} from './unbuilt-runs.repository.js';

/** How long to wait before another attempt, if too many builds are queued or PostgreSQL is down. */
const RETRY_MS = 2_000;
const LOOK_MS = 1_000;
/**
 * How many skripts of an account are built at the same time. They wait in the queues of resolutions and builds, so that
 * their runs show their places. Each needs memory for its files.
 */
const MAX_BUILDS = 8;
/** Errors that say nothing about the skript. */
const BUSY: ApiError['code'][] = ['too_many_requests', 'service_unavailable'];

interface Account {
  /** The runs that wait here for a build, by skript. */
  skripts: Map<string, UnbuiltRun[]>;
  /** The skripts that are being built. */
  building: Set<string>;
  /** Loops of `#work`. */
  loops: number;
}

const INTERNAL = 'Trawl could not build the bundle because of an error of its own. Its log has the details.';

/**
 * Builds the bundles of runs that were accepted while their libraries were still being resolved, and then lets workers
 * take the runs. Each such run has a builder: this backend, or another one. When a builder is gone, the next look of any
 * backend adopts its runs and builds their bundles from the files that the skripts have then.
 */
@Injectable()
export class UnbuiltRuns implements OnModuleInit, OnModuleDestroy {
  readonly #accounts = new Map<string, Account>();
  readonly #known = new Set<string>();
  /** The builds in progress. */
  readonly #builds = new Set<{ runs: UnbuiltRun[]; abort: AbortController }>();
  readonly #outages: OutageLog;
  readonly #subscriptions: Subscription[] = [];
  #isStopping = false;

  constructor(
    private readonly bundles: BundlesService,
    private readonly workers: WorkersRepository,
    private readonly targets: StartTargets,
    private readonly offers: OffersService,
    private readonly endings: EndingsService,
    private readonly dueWork: DueWork,
    private readonly events: ExecutionEvents,
    private readonly dataSource: DataSource,
    @Inject(BACKEND_ID) private readonly backendId: string,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.#outages = new OutageLog(logger, 'building the bundles of accepted runs failed; retrying');
  }

  onModuleInit(): void {
    this.dueWork.add('runs without a bundle', {
      everyMs: LOOK_MS,
      find: findBuilderWork,
      values: () => [this.backendId, [...this.#known]],
      run: () => this.adopt(),
    });
    this.#subscriptions.push(
      this.events.changes.subscribe(({ id, action }) => {
        if (!isLive(action) && this.#known.has(id)) void this.#dropEnded().catch(error => this.#outages.failure(error));
      }),
    );
  }

  onModuleDestroy(): void {
    this.#isStopping = true;
    for (const subscription of this.#subscriptions) subscription.unsubscribe();
  }

  /** Builds the bundle of a run whose builder this backend is. */
  add(run: UnbuiltRun): void {
    if (this.#known.has(run.id)) return;
    this.#known.add(run.id);
    const account = this.#accounts.get(run.owner_id) ?? { skripts: new Map(), building: new Set(), loops: 0 };
    this.#accounts.set(run.owner_id, account);
    const { skripts, loops } = account;
    skripts.set(run.skript_id, [...(skripts.get(run.skript_id) ?? []), run]);
    if (loops < MAX_BUILDS) void this.#work(run.owner_id, account);
  }

  /** Adopts runs whose builder is gone, and forgets those that have ended. */
  async adopt(): Promise<void> {
    try {
      await this.#dropEnded();
      for (const run of await adoptUnbuilt(this.dataSource, this.backendId, [...this.#known])) this.add(run);
    } catch (error) {
      this.#outages.failure(error);
    }
  }

  /** Forgets the runs that ended meanwhile, such as stopped ones, and aborts the builds that no other run needs. */
  async #dropEnded(): Promise<void> {
    const known = [...this.#known];
    if (known.length === 0) return;
    const unbuilt = await findUnbuilt(this.dataSource, this.backendId, known);
    for (const id of known) if (!unbuilt.has(id)) this.#known.delete(id);
    const isKnown = ({ id }: UnbuiltRun) => this.#known.has(id);
    for (const { skripts } of this.#accounts.values()) {
      for (const [skriptId, runs] of skripts) {
        const live = runs.filter(isKnown);
        if (live.length > 0) skripts.set(skriptId, live);
        else skripts.delete(skriptId);
      }
    }
    for (const { runs, abort } of this.#builds) {
      if (!runs.some(isKnown)) abort.abort(new Error('no run waits for this bundle'));
    }
  }

  /** Builds skripts of an account, one after the other, until none is left that no other loop builds. */
  async #work(ownerId: string, account: Account): Promise<void> {
    const { skripts, building } = account;
    const next = () => [...skripts].find(([skriptId]) => !building.has(skriptId));
    account.loops += 1;
    for (let each = next(); each && !this.#isStopping; each = next()) {
      const [skriptId, runs] = each;
      // Runs that are added from now on may need newer files, so they need another build.
      skripts.delete(skriptId);
      building.add(skriptId);
      try {
        await this.#build(ownerId, skriptId, runs);
        this.#outages.success();
        for (const { id } of runs) this.#known.delete(id);
      } catch (error) {
        if (isDatabaseUnavailable(error)) this.#outages.failure(error);
        const live = [...runs, ...(skripts.get(skriptId) ?? [])].filter(({ id }) => this.#known.has(id));
        if (live.length > 0) skripts.set(skriptId, live);
        await delay(RETRY_MS, undefined, { ref: false });
      } finally {
        building.delete(skriptId);
      }
    }
    account.loops -= 1;
    if (account.loops === 0) this.#accounts.delete(ownerId);
  }

  /** @throws an error if another attempt may succeed. */
  async #build(ownerId: string, skriptId: string, runs: UnbuiltRun[]): Promise<void> {
    const abort = new AbortController();
    const build = { runs, abort };
    this.#builds.add(build);
    try {
      const moved = this.#progressOf(runs);
      const skript = await this.bundles.ensure(ownerId, skriptId, 'unbuilt', { signal: abort.signal, moved });
      for (const workerId of new Set(runs.map(run => run.worker_id))) {
        const ids = runs.flatMap(run => (run.worker_id === workerId ? run.id : []));
        await this.#offer(ownerId, skript, workerId, ids).catch(error => this.#fail(ids, error));
      }
    } catch (error) {
      if (abort.signal.aborted) return;
      await this.#fail(
        runs.map(({ id }) => id),
        error,
      );
    } finally {
      this.#builds.delete(build);
    }
  }

  /** Returns a function that shows the progress of runs. It leaves out progress that a newer one has replaced. */
  #progressOf(runs: UnbuiltRun[]): (progress: ResolutionProgress) => void {
    const ids = runs.map(({ id }) => id);
    let shown: ResolutionProgress = null;
    let wanted: ResolutionProgress = null;
    let isWriting = false;
    const write = async () => {
      isWriting = true;
      try {
        while (!isDeepStrictEqual(shown, wanted)) {
          shown = wanted;
          const rows = await setProgress(this.dataSource, this.backendId, ids, shown);
          for (const { now, ...row } of rows) this.events.publish({ ...waitingChange(row), updated_at: now });
        }
      } catch (error) {
        this.#outages.failure(error);
      }
      isWriting = false;
    };
    return progress => {
      wanted = progress;
      if (!isWriting) void write();
    };
  }

  async #offer(ownerId: string, skript: RunnableSkript, workerId: string | null, ids: string[]): Promise<void> {
    const requested = workerId ?? 'any';
    const candidates = await this.workers.candidates(ownerId, requested);
    const { waiting } = await this.targets.choose(ownerId, requested, skript.environment, candidates);
    // If a worker has a free slot, it takes the run at once.
    const built = { bundleHash: skript.bundleHash, environment: skript.environment, reason: waiting ?? 'worker_full' };
    const rows = await giveBundle(this.dataSource, this.backendId, ids, built);
    for (const row of rows) this.events.publish(waitingChange(row));
    this.offers.offerWaitingSoon(workerId);
  }

  /** Ends the runs with the error. @throws the error, if another attempt may succeed. */
  async #fail(ids: string[], error: unknown): Promise<void> {
    if (this.#isStopping || isDatabaseUnavailable(error) || isBusy(error)) throw error;
    const isKnown = error instanceof ApiError;
    if (!isKnown) this.logger.error({ err: error, executions: ids }, 'building the bundle of an accepted run failed');
    const ending = { code: codeOf(error), message: isKnown ? error.message : INTERNAL };
    await this.endings.fail(ids, ending, { isFinal: true, builder: this.backendId });
  }
}

const isBusy = (error: unknown): boolean =>
  error instanceof ApiError && BUSY.includes(error.code) && !(error instanceof RegistryFailed);

function codeOf(error: unknown): RunErrorCode {
  if (error instanceof RegistryFailed) return 'libraries_failed';
  const isOfFiles = error instanceof ApiError && (error.code === 'bundle_failed' || error.code === 'main_missing');
  return isOfFiles ? 'bundle_failed' : 'start_failed';
}
