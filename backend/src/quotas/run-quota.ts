// SQL of the quotas of runs, for the statement that starts one: no further round trip, and no lock for who has no limit.

/** A row `refusal, started_before`; take it after the skript was locked. Parameters are SQL expressions. */
export const RUN_QUOTA = (owner: string, atOnceByDefault: string, perDayByDefault: string): string =>
  `run_quota(${owner}::uuid, ${atOnceByDefault}::bigint, ${perDayByDefault}::bigint)`;

/** Counts the start for the day. `from` has the row of `RUN_QUOTA`, joined with the run that was written. */
export const COUNT_RUN = (owner: string, from: string): string =>
  `INSERT INTO daily_runs (owner_id, day, runs)
   SELECT ${owner}::uuid, utc_today(), started_before + 1 FROM ${from} WHERE started_before IS NOT NULL
   ON CONFLICT (owner_id) DO UPDATE SET day = EXCLUDED.day, runs = EXCLUDED.runs`;
