import { Inject, Injectable } from '@nestjs/common';
import { LIMITS } from '@trawl/contracts';
import type { Logger } from 'pino';
import { DataSource, type EntityManager } from 'typeorm';
import { CommitGatherer } from '../common/commit-gatherer.js';
import { LOGGER } from '../common/logger.js';
import type { Inserted } from '../executions/run-rows.js';
import { type PreparedStart, StartsService } from '../executions/starts.service.js';
import { OutboxService } from '../mail/outbox.service.js';
import {
  advanceSchedules,
  type FireRow,
  type FireState,
  fireStates,
  lockSchedules,
  lockSkripts,
  writeFires,
} from './fire-rows.js';
import { type Firing, NOT_POSSIBLE, type Refusal } from './firing.js';
import { type FireResult, ScheduleProblemsService, waitsForNobody } from './schedule-problems.service.js';

type Outcome = Pick<FireRow, 'outcome' | 'reason_code' | 'reason' | 'execution_id'>;

/**
 * The only place that writes fires. One transaction locks the schedules, writes a fire and its run for each, and says when
 * they are due next: whichever backend gets the lock fires, every other finds the schedule locked or moved on.
 */
@Injectable()
export class FireWriterService {
  readonly #firings = new CommitGatherer((firings: Firing[]) => this.#writeAll(firings));

  constructor(
    private readonly dataSource: DataSource,
    private readonly starts: StartsService,
    private readonly problems: ScheduleProblemsService,
    private readonly outbox: OutboxService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** False when it is as before: another backend has it, the schedule was changed, or it has to stay in its queue. */
  write(firing: Firing): Promise<boolean> {
    return this.#firings.add(firing);
  }

  /** The same for a fire that was asked for: it waits for whoever has the schedule. */
  async writeAsked(firing: Firing): Promise<void> {
    await this.#commit([firing], 'wait');
  }

  /** One fire that the database refuses must not hold up the others, nor its own schedule for ever. */
  async #writeAll(firings: Firing[]): Promise<boolean[]> {
    try {
      return await this.#commit(firings, 'skip');
    } catch (error) {
      if (!isRefusedRow(error)) throw error;
      const [first] = firings as [Firing];
      if (firings.length === 1) {
        if (first.refusal) throw error;
        this.logger.error({ err: error, schedule: first.schedule.id }, 'a fire could not be written');
        return this.#writeAll([{ ...first, start: null, refusal: NOT_POSSIBLE }]);
      }
      const written: boolean[] = [];
      for (const firing of firings) written.push(...(await this.#writeAll([firing])));
      return written;
    }
  }

  async #commit(firings: Firing[], whenLocked: 'wait' | 'skip'): Promise<boolean[]> {
    const fired = new Set<Firing>();
    let moved = new Set<Firing>();
    let hasMail = false;
    try {
      await this.dataSource.transaction(async manager => {
        ({ moved, hasMail } = await this.#write(manager, firings, whenLocked, fired));
      });
    } catch (error) {
      fired.clear();
      throw error;
    } finally {
      for (const firing of firings) {
        if (!firing.start) continue;
        if (fired.has(firing)) this.starts.begin(firing.start);
        else this.starts.abandon(firing.start);
      }
    }
    if (hasMail) this.outbox.flush();
    return firings.map(firing => moved.has(firing));
  }

  async #write(
    manager: EntityManager,
    firings: Firing[],
    whenLocked: 'wait' | 'skip',
    fired: Set<Firing>,
  ): Promise<{ moved: Set<Firing>; hasMail: boolean }> {
    const locked = await lockSchedules(manager, firings, whenLocked);
    const mine = firings.filter(({ schedule }) => locked.has(schedule.id));
    if (mine.length === 0) return { moved: new Set(), hasMail: false };
    const states = await fireStates(manager, mine);
    await lockSkripts(manager, mine);
    const fires = mine.flatMap(missedRows);
    const moved = new Set(mine.filter(({ due }) => due !== null));
    const outcomes = await this.#outcomes(manager, mine, states);
    for (const [firing, outcome] of outcomes) {
      if (!firing.fireAt) continue;
      moved.add(firing);
      fires.push({
        ...outcome,
        schedule_id: firing.schedule.id,
        fire_at: firing.fireAt,
        manual: firing.kind === 'manual',
        left_out: 0,
      });
      if (outcome.outcome === 'fired') fired.add(firing);
    }
    await writeFires(manager, fires);
    await advanceSchedules(manager, mine, firing => fired.has(firing));
    return { moved, hasMail: await this.problems.note(manager, results(outcomes)) };
  }

  /** What becomes of the fires, without those of which there is nothing to record. */
  async #outcomes(
    manager: EntityManager,
    firings: Firing[],
    states: Map<string, FireState>,
  ): Promise<Map<Firing, Outcome>> {
    const outcomes = new Map<Firing, Outcome>();
    const note = (firing: Firing, outcome: Outcome | null) => outcome && outcomes.set(firing, outcome);
    const starting: { firing: Firing; start: PreparedStart; state: FireState }[] = [];
    for (const firing of firings) {
      const { kind, fireAt, start, refusal, schedule } = firing;
      const state = states.get(schedule.id);
      // Not as expected after a clock that was set back, or when another backend took it out of the queue.
      const expected = kind === 'queued' ? 'queued' : null;
      if (!fireAt || !state || state.recorded !== expected) continue;
      const isBehind = state.live !== null || (kind !== 'queued' && state.queued > 0);
      if (refusal) note(firing, skipped(refusal));
      else if (schedule.overlap !== 'allow' && isBehind) note(firing, overlapping(firing, state));
      else if (start) starting.push({ firing, start, state });
    }
    // Should it take several statements, every backend goes through the accounts, which quotas lock, in the same order.
    starting.sort((a, b) => (a.start.ownerId < b.start.ownerId ? -1 : 1));
    const inserted = await this.starts.insert(
      manager,
      starting.map(({ start }) => start),
    );
    starting.forEach(({ firing, state }, index) => {
      const run = inserted[index] as Inserted;
      if (typeof run === 'string') note(firing, fired(run));
      else if (run.code === 'already_running' && firing.schedule.overlap === 'queue')
        note(firing, overlapping(firing, state));
      else note(firing, skipped(run));
    });
    return outcomes;
  }
}

/** Of what is as the schedule wants it, or not for its owner to mend, there is nothing to note. */
const NO_PROBLEM: Refusal['code'][] = ['overlap', 'queue_full', 'already_running', 'owner_disabled'];

function results(outcomes: Map<Firing, Outcome>): FireResult[] {
  return [...outcomes].flatMap(([{ schedule, start }, { outcome, reason_code, reason }]) => {
    const scheduleId = schedule.id;
    if (outcome === 'fired') return { scheduleId, problem: waitsForNobody(start?.target.waiting ?? null) };
    const code = reason_code as Refusal['code'];
    if (outcome !== 'skipped' || NO_PROBLEM.includes(code)) return [];
    return { scheduleId, problem: { code, message: reason ?? '' } };
  });
}

const fired = (execution_id: string): Outcome => ({ outcome: 'fired', reason_code: null, reason: null, execution_id });

const skipped = ({ code, message }: Refusal): Outcome => ({
  outcome: 'skipped',
  reason_code: code,
  reason: message,
  execution_id: null,
});

function overlapping({ kind, schedule }: Firing, { live, queued }: FireState): Outcome | null {
  // It is in the queue, and stays there.
  if (kind === 'queued') return null;
  if (schedule.overlap !== 'queue') {
    const running = live ? `The run ${live} of an earlier fire was` : 'Earlier fires were';
    return skipped({ code: 'overlap', message: `${running} still going on.` });
  }
  if (queued >= LIMITS.fires) {
    const message = `${LIMITS.fires} fires of this schedule were waiting for the run before to end already; more may not wait.`;
    return skipped({ code: 'queue_full', message });
  }
  const reason = 'It waits for the run before it to end.';
  return { outcome: 'queued', reason_code: 'waiting', reason, execution_id: null };
}

const MISSED = 'The platform did not get to this fire in time: it was not running, or could not reach its database.';

function missedRows({ schedule, due }: Firing): FireRow[] {
  if (!due) return [];
  const { missed, leftOut, isExact } = due;
  const before = `${isExact ? '' : 'At least '}${leftOut} fires before it were missed as well and are not listed.`;
  return missed.map((fire_at, index) => ({
    schedule_id: schedule.id,
    fire_at,
    outcome: 'missed',
    manual: false,
    reason_code: 'platform_down',
    reason: index === 0 && leftOut > 0 ? `${MISSED} ${before}` : MISSED,
    left_out: index === 0 ? leftOut : 0,
    execution_id: null,
  }));
}

/** SQLSTATE classes for a value or a row that cannot be taken (22, 23), and for what is too complex (54). */
const isRefusedRow = (error: unknown): boolean => /^(22|23|54)/.test(String((error as { code?: unknown }).code));
