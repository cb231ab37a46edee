import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Finish } from '@trawl/contracts';
import { deserialize, EJSON } from 'bson';
import type { Logger } from 'pino';
import type { EntityManager } from 'typeorm';
import { WriteBatcher } from '../../../platform/common/batching/write-batcher.js';
import { notFound } from '../../../platform/common/errors.js';
import { LOGGER } from '../../../platform/common/logger.js';
import { isDatabaseUnavailable } from '../../../platform/common/postgres-errors.js';
import { Cleanups } from '../../../platform/database/cleanups.service.js';
import { DueWork } from '../../../platform/database/due-work.service.js';
import { RowAlarms } from './alarms/row-alarms.service.js';
import { judge, MAX_EARLIER } from './judgement/judge.js';
import { type ExampleRow, rowsThatShow } from './judgement/rows-that-show.js';
import type { ShownVerdict } from './judgement/verdict.js';
import type { RunProfile } from './profile/run-profile.js';
import { RunProfiler } from './profile/run-profiler.js';
import {
  type Examples,
  HAS_UNJUDGED,
  isGood,
  type JudgedRun,
  type UnjudgedRun,
  VerdictsRepository,
} from './verdicts.repository.js';

/** Number of runs that are judged together. Their earlier profiles are in memory at the same time. */
const BATCH = 50;
/** Size of the examples of a run. */
const EXAMPLE_CHARS = 24 * 1024;
/** Fields without a value that are kept of an example that lacks fields. */
const MAX_EMPTY = 20;

const UNJUDGED: ShownVerdict = { level: 'new', reason: 'Trawl could not judge these rows.', findings: [] };

/** The part of a worker's report that is about rows. */
type StoringFinish = Pick<Finish, 'id' | 'rows' | 'writes' | 'requests'>;

type Judgement = UnjudgedRun & JudgedRun & { verdict: ShownVerdict };

/** Judges whether runs have stored what they usually store. */
@Injectable()
export class VerdictsService implements OnModuleInit {
  /** Runs that wait for their verdict. Judging uses one connection, so that starts and endings keep the others. */
  readonly #waiting = new WriteBatcher<string, ShownVerdict | null>(
    async ids => {
      const verdicts = await this.#judge(ids);
      return ids.map(id => verdicts.get(id) ?? null);
    },
    undefined,
    BATCH,
  );

  constructor(
    private readonly repository: VerdictsRepository,
    private readonly dueWork: DueWork,
    private readonly cleanups: Cleanups,
    private readonly alarms: RowAlarms,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    // A run is judged when it ends. This judges those whose backend was killed in between.
    this.dueWork.add('runs without verdict', {
      everyMs: 1_000,
      find: () => HAS_UNJUDGED,
      run: () => this.#judge(null),
    });
    this.cleanups.add('profiles of runs', 'nightly', () => this.repository.deleteOfDroppedRuns());
  }

  /**
   * Saves the profile of a run that is about to end. If PostgreSQL refuses it, saves one without its rows. A run without a
   * profile gets no verdict, but it ends.
   * @param profiler undefined if this backend has not seen the run's rows
   * @param mayHaveKeys whether rows of the run may have a key
   * @throws an error of PostgreSQL while it is unavailable; then the worker reports the end again
   */
  async saveProfile(
    workerId: string,
    finish: StoringFinish,
    { profiler, mayHaveKeys }: { profiler: RunProfiler | undefined; mayHaveKeys: boolean },
  ): Promise<void> {
    const { id } = finish;
    try {
      const profile = profileOf(finish, profiler);
      const examples = profiler ? examplesOf(profile, profiler) : {};
      await this.repository.saveProfile(workerId, id, { profile, examples, mayHaveKeys });
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      this.logger.warn({ err: error, execution: id }, 'saving the profile of a run failed; its rows are not judged');
      if (profiler) await this.saveProfile(workerId, finish, { profiler: undefined, mayHaveKeys });
    }
  }

  /**
   * Notes that the rows of a run are normal now. Later runs are compared with it and with those after it, and exports
   * leave out its rows no longer.
   *
   * @throws {ApiError} 404 for a run without a verdict.
   */
  accept(ownerId: string, id: string): Promise<ShownVerdict> {
    return this.repository.transaction(async manager => {
      const locked = await this.repository.lockVerdict(manager, ownerId, id);
      if (!locked) throw notFound('run with a verdict', id);
      const { verdict, ...run } = locked;
      const accepted = { ...verdict, is_held: false, accepted_at: new Date().toISOString() };
      if (verdict.level === 'broken') await this.alarms.accept(manager, run);
      await this.repository.saveVerdicts(manager, new Map([[id, accepted]]));
      return accepted;
    });
  }

  /** Judges a run that has ended. Returns null if it cannot be judged now; then it is judged later. Never throws. */
  judge(id: string): Promise<ShownVerdict | null> {
    return this.#waiting.add(id);
  }

  /**
   * Judges runs that are about to end well, if the contract of their skript lets broken runs fail.
   *
   * @returns the verdicts of those runs
   * @throws an error of PostgreSQL while it is unavailable; then the worker reports the end again
   */
  async judgeFirst(finishes: (StoringFinish & { workerId: string })[]): Promise<Map<string, ShownVerdict>> {
    if (finishes.length === 0) return new Map();
    const ids = await this.repository.mustJudgeFirst(
      finishes.map(finish => ({ id: finish.id, workerId: finish.workerId, profile: profileOf(finish) })),
    );
    return ids.length === 0 ? new Map() : this.#judgeLive(ids);
  }

  /** Judges run by run if a batch fails. A run that cannot be judged ends without having been judged. */
  async #judgeLive(ids: string[]): Promise<Map<string, ShownVerdict>> {
    try {
      return await this.repository.transaction(manager => this.#judgeLocked(manager, ids, true));
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      if (ids.length > 1) {
        const verdicts = new Map<string, ShownVerdict>();
        for (const id of ids) for (const [key, verdict] of await this.#judgeLive([id])) verdicts.set(key, verdict);
        return verdicts;
      }
      this.logger.error(
        { err: error, executions: ids },
        'judging the rows of a run failed; it ends without being judged',
      );
      const verdicts = new Map(ids.map(id => [id, UNJUDGED]));
      await this.repository.transaction(async manager => {
        await this.repository.replaceProfiles(manager, ids);
        await this.repository.saveVerdicts(manager, verdicts);
      });
      return verdicts;
    }
  }

  /**
   * Judges run by run if a batch fails, and gives up a run that cannot be judged: it would keep the others waiting.
   * Never throws.
   * @param ids of the runs; null for all that wait
   */
  async #judge(ids: string[] | null): Promise<Map<string, ShownVerdict>> {
    try {
      return await this.repository.transaction(manager => this.#judgeLocked(manager, ids));
    } catch (error) {
      if (isDatabaseUnavailable(error)) {
        this.logger.warn({ err: error }, 'judging the rows of runs failed; will retry');
        return new Map();
      }
      if (ids?.length === 1) await this.#giveUp(ids[0] as string, error);
      else for (const id of ids ?? (await this.repository.unjudged(BATCH))) await this.#judge([id]);
      return new Map();
    }
  }

  async #giveUp(id: string, error: unknown): Promise<void> {
    this.logger.error({ err: error, execution: id }, 'judging the rows of a run failed; it gets no verdict');
    await this.repository
      .transaction(async manager => {
        const held = await this.repository.replaceProfiles(manager, [id]);
        if (held.length === 0) await this.repository.delete(manager, [id]);
        // Exports leave out its rows until the owner accepts them.
        else await this.repository.saveVerdicts(manager, new Map([[id, { ...UNJUDGED, is_held: true }]]));
      })
      .catch(reason =>
        this.logger.warn({ err: reason, execution: id }, 'giving up the verdict of a run failed; will retry'),
      );
  }

  /** @param isLive whether the runs have not ended yet */
  async #judgeLocked(manager: EntityManager, ids: string[] | null, isLive = false): Promise<Map<string, ShownVerdict>> {
    const runs = await this.repository.lockUnjudged(manager, ids, { limit: ids?.length ?? BATCH, isLive });
    const good = runs.filter(({ action }) => isLive || action === 'end');
    const others = runs.filter(run => !good.includes(run)).map(({ id }) => id);
    if (others.length > 0) await this.repository.delete(manager, others);
    const verdicts = await this.#judgeAll(manager, good);
    // Another backend, or the search for runs without a verdict, may have judged some of them.
    const missing = ids?.filter(id => !verdicts.has(id)) ?? [];
    if (missing.length === 0) return verdicts;
    return new Map([...verdicts, ...(await this.repository.verdictsOf(manager, missing))]);
  }

  /** @param runs the oldest first: later ones are compared with earlier ones of the same skript and input */
  async #judgeAll(manager: EntityManager, runs: UnjudgedRun[]): Promise<Map<string, ShownVerdict>> {
    if (runs.length === 0) return new Map();
    const earlier = await this.repository.earlierGoodRuns(manager, runs);
    const judged: Judgement[] = [];
    for (const run of runs) {
      const same = judged.filter(other => other.skript_id === run.skript_id && other.input_key === run.input_key);
      const goodRuns = latestFirst([...(earlier.get(run.id) ?? []), ...same.filter(other => other.is_good)]);
      const verdict = verdictOn(run, comparable(goodRuns.slice(0, MAX_EARLIER)));
      judged.push({ ...run, verdict, is_good: isGood(verdict), is_accepted: false });
    }
    const verdicts = new Map(judged.map(({ id, verdict }) => [id, verdict]));
    await this.repository.saveVerdicts(manager, verdicts);
    await this.alarms.note(
      manager,
      judged.map(run => ({ ...run, has_contract: run.contract !== null })),
    );
    return verdicts;
  }
}

/** @param profiler undefined if this backend has not seen the run's rows */
const profileOf = ({ rows = 0, writes = [], requests = [] }: StoringFinish, profiler = new RunProfiler()): RunProfile =>
  profiler.profile(rows, writes, requests);

const latestFirst = <Run extends { id: string }>(runs: Run[]): Run[] => runs.sort((a, b) => (a.id < b.id ? 1 : -1));

/** Profiles of good runs, the oldest first. If the owner has accepted a verdict, that run is the first. */
function comparable(runs: JudgedRun[]): RunProfile[] {
  const accepted = runs.findIndex(({ is_accepted }) => is_accepted);
  const later = accepted < 0 ? runs : runs.slice(0, accepted + 1);
  return later.map(({ profile }) => profile).reverse();
}

function verdictOn(run: UnjudgedRun, earlier: RunProfile[]): ShownVerdict {
  const verdict = judge(run.profile, earlier, run.contract);
  const rowsOf = (target: string) => run.examples?.[target] ?? [];
  return {
    ...verdict,
    findings: verdict.findings.map(({ usualType, ...finding }) => ({
      ...finding,
      rows: finding.rows ?? rowsThatShow({ ...finding, usualType }, rowsOf(finding.target)),
    })),
    ...(verdict.level === 'broken' && run.contract?.on_broken === 'hold' && { is_held: true }),
  };
}

/** Returns examples as JSON of a bounded size. */
function examplesOf({ targets }: RunProfile, profiler: RunProfiler): Examples {
  const examples: Examples = {};
  let left = EXAMPLE_CHARS;
  for (const { target } of targets) {
    examples[target] = [];
    for (const { bytes, isRepeated, lacksFields, empty } of profiler.examples(target)) {
      const example: ExampleRow = {
        row: toJson(bytes),
        ...(isRepeated && { is_repeated: true }),
        ...(lacksFields && { lacks_fields: true, empty: empty.slice(0, MAX_EMPTY) }),
      };
      left -= JSON.stringify(example).length;
      if (left >= 0) examples[target].push(example);
    }
  }
  return examples;
}

/** A stored regular expression has the syntax of MongoDB, which JavaScript may not understand. */
const toJson = (bytes: Uint8Array): object =>
  EJSON.serialize(deserialize(bytes, { bsonRegExp: true }), { relaxed: true });
