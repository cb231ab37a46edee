import { Inject, Injectable } from '@nestjs/common';
import type { WaitingReason } from '@trawl/contracts';
import type { EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../common/config.js';
import { compose } from '../mail/compose.js';
import { OutboxService } from '../mail/outbox.service.js';

/** Then a newer one says more. */
const USEFUL_HOURS = 24;
/** Whoever has a hundred schedules on a worker that has gone understands it sooner. */
const MAILS_A_DAY = 10;

export interface ScheduleProblem {
  code: string;
  message: string;
}

/** What has just become of a fire: why it made no run, or one that nobody takes; null when all is well. */
export interface FireResult {
  scheduleId: string;
  problem: ScheduleProblem | null;
}

/** What a run may wait for until somebody does something about it. */
const NOBODY_TAKES_IT: Partial<Record<WaitingReason, string>> = {
  worker_offline: 'No worker that the run may go to is connected. It waits, and begins when one is.',
  no_suitable_worker:
    'No worker that the run may go to has its environment and the sandbox that it needs. It waits, and begins when one has.',
};

export function waitsForNobody(code: WaitingReason | null): ScheduleProblem | null {
  const message = code && NOBODY_TAKES_IT[code];
  return message ? { code, message } : null;
}

interface ToldRow {
  name: string;
  skript: string;
  username: string;
  worker: string | null;
  problem_code: string;
  problem: string;
  is_told: boolean;
}

/**
 * What keeps schedules from making runs, or their runs from being taken. The owner is told by e-mail at the first such
 * fire, and then once a day while that goes on: nobody looks at a schedule that has worked for months.
 */
@Injectable()
export class ScheduleProblemsService {
  constructor(
    private readonly outbox: OutboxService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Within the transaction that writes the fires.
   * @returns whether there is an e-mail to be sent after its commit.
   */
  async note(manager: EntityManager, results: FireResult[]): Promise<boolean> {
    if (results.length === 0) return false;
    const given = results.map(({ scheduleId: id, problem }) => ({
      id,
      code: problem?.code,
      message: problem?.message,
    }));
    const [rows] = await manager.query<[ToldRow[], number]>(
      `UPDATE schedules s SET problem_code = f.code, problem = f.message,
         problem_since = CASE WHEN f.code IS NOT NULL THEN COALESCE(s.problem_since, now()) END,
         problem_told_at = CASE WHEN f.code IS NULL OR s.problem_told_at > now() - interval '1 day' THEN s.problem_told_at
           ELSE now() END
       FROM json_to_recordset($1::json) AS f(id uuid, code text, message text)
       WHERE s.id = f.id AND (f.code IS NOT NULL OR s.problem_code IS NOT NULL)
       RETURNING s.name, s.problem_code, s.problem, s.problem_told_at = now() AND s.problem IS NOT NULL AS is_told,
         (SELECT title FROM skripts k WHERE k.id = s.skript_id) AS skript,
         (SELECT username FROM users u WHERE u.id = s.owner_id) AS username,
         (SELECT w.name FROM workers w WHERE w.id = s.worker_id) AS worker`,
      [JSON.stringify(given)],
    );
    const told = rows.filter(({ is_told }) => is_told);
    for (const row of told) await this.#tell(manager, row);
    return told.length > 0;
  }

  async #tell(manager: EntityManager, row: ToldRow): Promise<void> {
    const { name, skript, username, worker, problem } = row;
    const isWaiting = row.problem_code in NOBODY_TAKES_IT;
    const { contactEmail, publicUrl } = this.config;
    // The accounts of the first start have a name, and are the operator's.
    const to = username.includes('@') ? username : contactEmail;
    if (to === undefined || (await this.outbox.written(manager, to, 'schedule_problem')).day >= MAILS_A_DAY) return;
    const facts: [string, string][] = [
      ['Schedule', name],
      ['Skript', skript],
      ...(worker === null ? [] : [['Worker', worker] as [string, string]]),
    ];
    const mail = compose(
      { to, subject: isWaiting ? `A run of your schedule “${name}” waits` : `Your schedule “${name}” made no run` },
      [
        `A time of this schedule has come, and ${isWaiting ? 'no worker takes its run' : 'no run could be made'}:`,
        { facts },
        { quote: problem },
        'It stays enabled and is tried again at each of its times. What became of each of them is in its list of fires.',
      ],
      `Sent by ${publicUrl} because the schedule is yours: at the first time, then once a day while that goes on.`,
    );
    await this.outbox.add(manager, 'schedule_problem', mail, USEFUL_HOURS);
  }
}
