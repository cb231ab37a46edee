// SQL for the quotas of runs. It is part of the statement that starts runs, so it needs no extra query. Accounts
// without a limit on live or daily runs are not locked.

/**
 * Returns a row `runs`: `remaining` is how many more runs the account may start (null: no limit), and `refusal` the refusal
 * for any further run; `waiting_room` and `waiting_refusal` are the same for runs that have to wait. Call it after locking the skripts, account by account in order of id. Parameters are SQL expressions.
 * The SQL function is in `backend/src/platform/database/migrations/initial-schema/quotas.ts`.
 */
export const REMAINING_RUNS = (owner: string, defaults: [atOnce: string, perDay: string, waiting: string]): string =>
  `run_room(${owner}, ${defaults.map(value => `${value}::bigint`).join(', ')})
     AS runs(remaining, refusal, started_before, waiting_room, waiting_refusal)`;

/**
 * Returns SQL that updates the number of runs that each account has started today. `from` is an SQL source with a row
 * `owner_id, started_before` for each inserted run.
 */
export const COUNT_RUNS = (from: string): string =>
  `INSERT INTO daily_runs (owner_id, day, runs)
   SELECT owner_id, utc_today(), started_before + count(*) FROM ${from} WHERE started_before IS NOT NULL
   GROUP BY owner_id, started_before
   ON CONFLICT (owner_id) DO UPDATE SET day = EXCLUDED.day, runs = EXCLUDED.runs`;
