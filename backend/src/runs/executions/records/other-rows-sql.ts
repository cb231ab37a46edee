/**
 * SQL: how many rows of `writes` are outside the dataset of a run. Values of its key-value store are no rows.
 * @param writes SQL of type json
 */
const rowsOf = (writes: string): string => `(SELECT coalesce(sum(w.inserted + w.updated), 0)
  FROM json_to_recordset(${writes}) AS w(store text, name text, inserted bigint, updated bigint)
  WHERE (w.store = 'mongodb' AND w.name IN ('dataset_' || e.skript_id, 'kv_' || e.skript_id)) IS NOT TRUE)`;

/**
 * SQL that sets `writes` and `other_rows` of `executions e`. They stay as they are if `reported`, SQL of type json, is null,
 * and for a replay: its worker counts writes that Trawl has not made.
 */
export const setWrites = (reported: string): string => `writes = COALESCE(${madeBy(reported)}, e.writes),
  other_rows = CASE WHEN ${madeBy(reported)} IS NULL THEN e.other_rows ELSE ${rowsOf(reported)} END`;

const madeBy = (reported: string): string => `CASE WHEN e.replay_of IS NULL THEN ${reported} END`;

/** SQL: how many rows a run of `executions e` has stored, wherever. Only runs of earlier releases have `writes` without `other_rows`. */
export const STORED_ROWS = `row_count + CASE WHEN writes IS NULL THEN 0 ELSE COALESCE(other_rows, ${rowsOf('writes')}) END`;
