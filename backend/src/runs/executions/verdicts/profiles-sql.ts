/** SQL on `executions e`: tells apart the runs of a skript with different inputs. */
export const INPUT_KEY = `concat_ws('/', e.input_id, md5(e.input_value::text), e.input_secret_id)`;

/**
 * SQL of a step that adds a profile without rows for each run that ended well and stored nothing, if earlier runs of its
 * skript and input have a profile. It needs the steps `f` and `gone` of a statement that ends runs.
 */
export const PROFILE_OF_NO_ROWS = `no_rows AS (
  INSERT INTO run_profiles (execution_id, skript_id, input_key, profile)
  SELECT e.id, e.skript_id, ${INPUT_KEY}, '{"targets":[],"skipped":[]}'
  FROM f JOIN gone ON gone.execution_id = f.id JOIN executions e ON e.id = f.id
  WHERE f.action = 'end' AND e.replay_of IS NULL AND e.row_count = 0 AND f.writes IS NULL
    AND EXISTS (SELECT FROM run_profiles p WHERE p.skript_id = e.skript_id)
    AND EXISTS (SELECT FROM run_profiles p WHERE p.skript_id = e.skript_id AND p.input_key = ${INPUT_KEY})
  ON CONFLICT DO NOTHING RETURNING execution_id)`;
