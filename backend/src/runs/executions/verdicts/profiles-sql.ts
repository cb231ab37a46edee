/** SQL on `executions e`: tells apart the runs of a skript with different inputs. */
export const INPUT_KEY = `concat_ws('/', e.input_id, md5(e.input_value::text), e.input_secret_id)`;

/** The profile of a run that has stored nothing. */
export const NO_ROWS = '{"targets":[],"skipped":[]}';
/** The profile of a run that cannot be judged. It lacks the rows of the dataset, so later runs are not compared with them. */
export const UNJUDGED = '{"targets":[],"skipped":[{"target":"dataset","reason":"Trawl could not judge these rows."}]}';

/** SQL on `skripts s`: its effect of broken rows, by its contract; null without one. */
export const ON_BROKEN = `CASE WHEN s.rows IS NOT NULL THEN COALESCE(s.rows->>'on_broken', 'notify') END`;
/** SQL on `skripts s`: whether exports wait for the verdict on a run, and leave out rows that are broken. */
export const HOLDS = `COALESCE(s.rows->>'on_broken' = 'hold', false)`;

/** SQL on `live_runs r`: whether its run needs a verdict that is good before it may end well. The run has noted it at its start. */
export const NEEDS_GOOD_VERDICT = `r.on_broken IS NOT DISTINCT FROM 'fail'`;

/**
 * SQL of a step that adds a profile without rows for each run that ended well and stored nothing, if earlier runs of its
 * skript and input have a profile, or if the skript had a contract at the start. It needs a step `ended` that has ended the runs.
 */
export const PROFILE_OF_NO_ROWS = `no_rows AS (
  INSERT INTO run_profiles (execution_id, skript_id, input_key, profile)
  SELECT e.id, e.skript_id, ${INPUT_KEY}, '${NO_ROWS}'
  FROM ended e
  WHERE e.action = 'end' AND e.replay_of IS NULL AND e.row_count = 0 AND NOT e.has_writes
    AND (e.on_broken IS NOT NULL
      OR EXISTS (SELECT FROM run_profiles p WHERE p.skript_id = e.skript_id)
        AND EXISTS (SELECT FROM run_profiles p WHERE p.skript_id = e.skript_id AND p.input_key = ${INPUT_KEY}))
  ON CONFLICT DO NOTHING RETURNING execution_id)`;

/** The verdict of a mark, which takes the place of a profile: see `deleteProfiles`. */
const MARK = '{"level":"new"}';
/** SQL on `run_profiles`: whether the run is there, and not only the mark of its rows. */
export const IS_NO_MARK = `verdict::text IS DISTINCT FROM '${MARK}'`;

/**
 * SQL of steps that delete the profiles of deleted runs. Rows that are held stay in the dataset without their run, so a mark of
 * the run stays, too: without it, exports would contain them.
 * @param condition SQL on `run_profiles`
 */
export const deleteProfiles = (condition: string): string => `profiles AS (
    DELETE FROM run_profiles WHERE ${condition} AND NOT is_held),
  marks AS (
    UPDATE run_profiles SET profile = 'null', examples = NULL, verdict = '${MARK}', is_good = false
    WHERE ${condition} AND is_held AND ${IS_NO_MARK})`;
