import type { WaitingReason } from '@trawl/contracts';
import type { EntityManager } from 'typeorm';
import { recordEvents } from '../../platform/notifications/record-events.js';
import type { FireResult, Firing, ScheduleProblem } from './firing.js';
import { findNames, recordProblems } from './schedules.repository.js';

/** The waiting reasons that usually do not end until somebody does something, with the text for the owner. */
const WAITING_PROBLEMS: Partial<Record<WaitingReason, string>> = {
  worker_offline: 'No worker that can take this run is connected. The run starts when one connects.',
  no_suitable_worker:
    'No available worker supports the environment of this skript with the sandbox that it needs. The run starts when one connects.',
};

export function waitingProblem(code: WaitingReason | null): ScheduleProblem | null {
  const message = code && WAITING_PROBLEMS[code];
  return message ? { code, message } : null;
}

/**
 * Records why a schedule makes no run, or why no worker takes its run. Tells the owner at the first such fire, then once
 * a day while the problem lasts. Call it within the transaction that writes the fires.
 */
export async function recordScheduleProblems(manager: EntityManager, results: FireResult[]): Promise<void> {
  if (results.length === 0) return;
  const rows = await recordProblems(manager, results);
  await recordEvents(
    manager,
    rows
      .filter(({ is_told }) => is_told)
      .map(({ owner_id, schedule, skript, worker, problem_code, problem }) => ({
        ownerId: owner_id,
        type: 'schedule.problem' as const,
        data: {
          schedule,
          skript,
          worker,
          problem: { code: problem_code, message: problem, is_waiting: problem_code in WAITING_PROBLEMS },
        },
      })),
  );
}

/** Tells the owners of schedules that missed fires. Call it within the transaction that writes the fires. */
export async function recordMissedFires(manager: EntityManager, firings: Firing[]): Promise<void> {
  const missed = new Map(
    firings.flatMap(({ schedule, due }): [string, Firing['schedule'] & { missed: number }][] => {
      const count = due ? due.missed.length + due.leftOut : 0;
      return count > 0 ? [[schedule.id, { ...schedule, missed: count }]] : [];
    }),
  );
  if (missed.size === 0) return;
  const names = await findNames(manager, [...missed.keys()]);
  await recordEvents(
    manager,
    names.flatMap(({ id, name, skript_name }) => {
      const schedule = missed.get(id);
      if (!schedule) return [];
      const { owner_id, skript_id } = schedule;
      const data = {
        schedule: { id, name },
        skript: { id: skript_id, name: skript_name },
        missed: schedule.missed,
      };
      return [{ ownerId: owner_id, type: 'schedule.missed' as const, data }];
    }),
  );
}
