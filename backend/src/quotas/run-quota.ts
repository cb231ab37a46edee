// SQL of the quotas of runs, for the statement that starts them: no further round trip, and no lock for who has no limit.

/**
 * A row `room, refusal, started_before`: how many more runs the account may start, null for any number, and what is said
 * to the one after these. Take it after the skripts were locked, account by account in their order. Parameters are SQL expressions.
 */
export const RUN_ROOM = (owner: string, atOnceByDefault: string, perDayByDefault: string): string =>
  `run_room(${owner}, ${atOnceByDefault}::bigint, ${perDayByDefault}::bigint)`;

/** Counts starts for the day. `from` has a row `owner_id, started_before` for each run that was written. */
export const COUNT_RUNS = (from: string): string =>
  `INSERT INTO daily_runs (owner_id, day, runs)
   SELECT owner_id, utc_today(), started_before + count(*) FROM ${from} WHERE started_before IS NOT NULL
   GROUP BY owner_id, started_before
   ON CONFLICT (owner_id) DO UPDATE SET day = EXCLUDED.day, runs = EXCLUDED.runs`;
