import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Finish } from '@trawl/contracts';
import { deserialize, EJSON } from 'bson';
import type { Logger } from 'pino';
import type { EntityManager } from 'typeorm';
import { notFound } from '../../../platform/common/errors.js';
import { LOGGER } from '../../../platform/common/logger.js';
import { Cleanups } from '../../../platform/database/cleanups.service.js';
import { DueWork } from '../../../platform/database/due-work.service.js';
import { recordEvents } from '../../../platform/notifications/record-events.js';
import { judge } from './judgement/judge.js';
import { rowsThatShow } from './judgement/rows-that-show.js';
import type { ShownVerdict } from './judgement/verdict.js';
import type { RunProfile } from './profile/run-profile.js';
import type { RunProfiler } from './profile/run-profiler.js';
import { type Examples, HAS_UNJUDGED, type UnjudgedRun, VerdictsRepository } from './verdicts.repository.js';

const BATCH = 50;

/** Judges whether runs have stored what they usually store. */
@Injectable()
export class VerdictsService implements OnModuleInit {
  constructor(
    private readonly repository: VerdictsRepository,
    private readonly dueWork: DueWork,
    private readonly cleanups: Cleanups,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    // A run is judged when it ends. This judges those whose backend was killed in between.
    this.dueWork.add('runs without verdict', {
      everyMs: 1_000,
      find: () => HAS_UNJUDGED,
      run: () => this.judge(null),
    });
    this.cleanups.add('profiles of runs', 'nightly', () => this.repository.deleteWithoutRuns());
  }

  /**
   * Saves the profile of a run that is about to end. Never throws: a run without a profile gets no verdict, but it ends.
   */
  async saveProfile(
    workerId: string,
    { id, rows = 0, writes = [] }: Pick<Finish, 'id' | 'rows' | 'writes'>,
    profiler: RunProfiler,
  ): Promise<void> {
    try {
      const profile = profiler.profile(rows, writes);
      const examples: Examples = {};
      for (const { target } of profile.targets) examples[target] = profiler.examples(target).map(toJson);
      await this.repository.saveProfile(workerId, id, profile, examples);
    } catch (error) {
      this.logger.warn({ err: error, execution: id }, 'saving the profile of a run failed; the run gets no verdict');
    }
  }

  /**
   * Notes that the rows of a run are normal now. Later runs are compared with it and with those after it.
   *
   * @throws {ApiError} 404 for a run without a verdict.
   */
  accept(ownerId: string, id: string): Promise<ShownVerdict> {
    return this.repository.transaction(async manager => {
      const verdict = await this.repository.lockVerdict(manager, ownerId, id);
      if (!verdict) throw notFound('run with a verdict', id);
      const accepted = { ...verdict, accepted_at: new Date().toISOString() };
      await this.repository.saveVerdict(manager, id, accepted);
      return accepted;
    });
  }

  /**
   * Judges runs that have ended. Never throws: a run that could not be judged is judged later.
   *
   * @param ids of the runs; null for all that wait
   */
  async judge(ids: string[] | null): Promise<Map<string, ShownVerdict>> {
    const verdicts = new Map<string, ShownVerdict>();
    try {
      await this.repository.transaction(async manager => {
        const runs = await this.repository.lockUnjudged(manager, ids, BATCH);
        const good = runs.filter(({ action }) => action === 'end');
        if (good.length < runs.length) {
          const others = runs.filter(run => !good.includes(run));
          await this.repository.delete(
            manager,
            others.map(({ id }) => id),
          );
        }
        for (const run of good) {
          const verdict = verdictOn(run, await this.repository.earlierProfiles(manager, run));
          await this.repository.saveVerdict(manager, run.id, verdict);
          await this.#tell(manager, run, verdict);
          verdicts.set(run.id, verdict);
        }
      });
    } catch (error) {
      this.logger.warn({ err: error }, 'judging the rows of runs failed; will retry');
      return new Map();
    }
    return verdicts;
  }

  /** Records an event if the rows broke with this run, or are right again. */
  async #tell(manager: EntityManager, run: UnjudgedRun, { level, findings }: ShownVerdict): Promise<void> {
    if (level === 'new') return;
    const isBroken = level === 'broken';
    if (isBroken === (await this.repository.wasBroken(manager, run))) return;
    const data = {
      execution_id: run.id,
      skript: { id: run.skript_id, name: run.skript_name },
      state: isBroken ? 'broken' : 'right',
      findings: isBroken ? findings.map(({ text }) => text) : [],
    };
    await recordEvents(manager, [{ ownerId: run.owner_id, type: 'rows.broken', data }]);
  }
}

function verdictOn(run: UnjudgedRun, earlier: RunProfile[]): ShownVerdict {
  const verdict = judge(run.profile, earlier);
  const rowsOf = (target: string) => run.examples?.[target] ?? [];
  return {
    ...verdict,
    findings: verdict.findings.map(finding => ({ ...finding, rows: rowsThatShow(finding, rowsOf(finding.target)) })),
  };
}

/** A stored regular expression has the syntax of MongoDB, which JavaScript may not understand. */
const toJson = (bytes: Buffer): object => EJSON.serialize(deserialize(bytes, { bsonRegExp: true }), { relaxed: true });
