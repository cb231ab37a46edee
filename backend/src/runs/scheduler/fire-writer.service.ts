import { Inject, Injectable } from '@nestjs/common';
import { LIMITS } from '@trawl/contracts';
import type { Logger } from 'pino';
import type { EntityManager } from 'typeorm';
import { WriteBatcher } from '../../platform/common/batching/write-batcher.js';
import { LOGGER } from '../../platform/common/logger.js';
import type { Inserted, PreparedStart } from '../executions/start/prepared-start.js';
import { StartsService } from '../executions/start/starts.service.js';
import { lockAgainstDeletion } from '../skripts/skripts.repository.js';
import { type FireResult, type Firing, INTERNAL_ERROR, type Refusal } from './firing.js';
import { type FireRow, type FireState, fireStates, writeFires } from './schedule-fires.repository.js';
import { recordMissedFires, recordScheduleProblems, waitingProblem } from './schedule-notifications.js';
import { advanceSchedules, lockSchedules } from './schedules.repository.js';

type Outcome = Pick<FireRow, 'outcome' | 'reason_code' | 'reason' | 'execution_id'>;
type Insert = (starts: PreparedStart[]) => Promise<Inserted[]>;

/**
 * Only this class writes fires. One transaction locks the schedules, writes each fire with its run, and sets the
 * schedules' next times. So each fire is made by only one backend: all others find the schedule locked, or find that
 * its time has already moved on.
 * See docs/decisions/0081-lock-order.md.
 */
@Injectable()
export class FireWriterService {
  readonly #firings = new WriteBatcher((firings: Firing[]) => this.#writeAll(firings));

  constructor(
    private readonly starts: StartsService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Writes a fire. Returns false if nothing was written, because another backend handles the schedule, the schedule was
   * edited, or the fire stays queued.
   */
  write(firing: Firing): Promise<boolean> {
    return this.#firings.add(firing);
  }

  /** Writes a fire triggered by a call. Waits for the lock on its schedule. */
  async writeTriggered(firing: Firing): Promise<void> {
    await this.#commit([firing], 'wait');
  }

  /**
   * Writes the gathered fires together. If PostgreSQL refuses a value, writes each fire separately. The refused fire is
   * written with an error instead of its run, so that the other fires are not delayed and its schedule is not blocked.
   */
  async #writeAll(firings: Firing[]): Promise<boolean[]> {
    try {
      return await this.#commit(firings, 'skip');
    } catch (error) {
      if (!isRefusedRow(error)) throw error;
      const [first] = firings as [Firing];
      if (firings.length === 1) {
        if (first.refusal) throw error;
        this.logger.error({ err: error, schedule: first.schedule.id }, 'writing a fire failed');
        return this.#writeAll([{ ...first, start: null, refusal: INTERNAL_ERROR }]);
      }
      const written: boolean[] = [];
      for (const firing of firings) written.push(...(await this.#writeAll([firing])));
      return written;
    }
  }

  async #commit(firings: Firing[], whenLocked: 'wait' | 'skip'): Promise<boolean[]> {
    const starts = firings.flatMap(({ start }) => start ?? []);
    const moved = await this.starts.commit(starts, (manager, insert) =>
      this.#write(manager, firings, whenLocked, insert),
    );
    return firings.map(firing => moved.has(firing));
  }

  /** @returns the firings for which something was written. */
  async #write(
    manager: EntityManager,
    firings: Firing[],
    whenLocked: 'wait' | 'skip',
    insert: Insert,
  ): Promise<Set<Firing>> {
    const locked = await lockSchedules(manager, firings, whenLocked);
    const mine = firings.filter(({ schedule }) => locked.has(schedule.id));
    if (mine.length === 0) return new Set();
    const states = await fireStates(manager, mine);
    await lockAgainstDeletion(
      manager,
      mine.flatMap(({ start }) => start?.skript.id ?? []),
    );
    const fires = mine.flatMap(missedRows);
    const moved = new Set(mine.filter(({ due }) => due !== null));
    const outcomes = await this.#outcomes(mine, states, insert);
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
    }
    await writeFires(manager, fires);
    await advanceSchedules(manager, mine, firing => outcomes.get(firing)?.outcome === 'fired');
    await recordScheduleProblems(manager, results(outcomes));
    await recordMissedFires(manager, mine);
    return moved;
  }

  /**
   * Decides the outcome of each fire and inserts the runs. The result does not contain fires for which there is nothing
   * to record.
   */
  async #outcomes(firings: Firing[], states: Map<string, FireState>, insert: Insert): Promise<Map<Firing, Outcome>> {
    const outcomes = new Map<Firing, Outcome>();
    const note = (firing: Firing, outcome: Outcome | null) => outcome && outcomes.set(firing, outcome);
    const starting: { firing: Firing; start: PreparedStart; state: FireState }[] = [];
    for (const firing of firings) {
      const { kind, fireAt, start, refusal, schedule } = firing;
      const state = states.get(schedule.id);
      // The recorded outcome is a different one if the clock was set back, or if another backend has taken the fire out
      // of the queue. Then do nothing.
      const expected = kind === 'queued' ? 'queued' : null;
      if (!fireAt || !state || state.recorded !== expected) continue;
      const isBehind = state.live !== null || (kind !== 'queued' && state.queued > 0);
      if (refusal) note(firing, skipped(refusal));
      else if (schedule.overlap !== 'allow' && isBehind) note(firing, overlapping(firing, state));
      else if (start) starting.push({ firing, start, state });
    }
    // The check of quotas locks accounts, and the insert may need several statements. Sort by account, so that all
    // backends lock the accounts in the same order and no deadlock occurs.
    starting.sort((a, b) => (a.start.ownerId < b.start.ownerId ? -1 : 1));
    const inserted = await insert(starting.map(({ start }) => start));
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

/**
 * These outcomes are not reported as a problem: the schedule's settings ask for them, or the owner cannot change them.
 */
const NO_PROBLEM: Refusal['code'][] = ['overlap', 'queue_full', 'already_running', 'owner_disabled'];

function results(outcomes: Map<Firing, Outcome>): FireResult[] {
  return [...outcomes].flatMap(([{ schedule, start }, { outcome, reason_code, reason }]) => {
    const scheduleId = schedule.id;
    if (outcome === 'fired') return { scheduleId, problem: waitingProblem(start?.target.waiting ?? null) };
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

/**
 * Returns the outcome of a fire while an earlier run is live or earlier fires are queued. Returns null if the fire is
 * already in the queue and stays there.
 */
function overlapping({ kind, schedule }: Firing, { live, queued }: FireState): Outcome | null {
  if (kind === 'queued') return null;
  if (schedule.overlap !== 'queue') {
    const message = live
      ? `The run ${live} of an earlier fire was still live.`
      : 'Earlier fires of this schedule were still queued.';
    return skipped({ code: 'overlap', message });
  }
  if (queued >= LIMITS.fires) {
    const message = `The queue of this schedule was full: it holds at most ${LIMITS.fires} fires.`;
    return skipped({ code: 'queue_full', message });
  }
  const reason = 'Waiting for the previous run to end.';
  return { outcome: 'queued', reason_code: 'waiting', reason, execution_id: null };
}

const MISSED = 'The platform missed this fire: it was down, in maintenance, or could not reach its database.';

function missedRows({ schedule, due }: Firing): FireRow[] {
  if (!due) return [];
  const { missed, leftOut, isExact } = due;
  const before = `${isExact ? '' : 'At least '}${leftOut} earlier fires were also missed and are not listed.`;
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

/**
 * Returns whether PostgreSQL refused a row. True for these SQLSTATE classes: invalid value (22), violated constraint
 * (23), too complex statement (54).
 */
const isRefusedRow = (error: unknown): boolean => /^(22|23|54)/.test(String((error as { code?: unknown }).code));
