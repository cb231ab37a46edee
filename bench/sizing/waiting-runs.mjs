// @ts-check
/**
 * Copies a waiting run until `count` runs wait.
 * @param {import('pg').Client} client
 * @param {string} template id of the run
 * @param {number} count
 */
export async function addWaiting(client, template, count) {
  const missing = count - (await waiting(client));
  await client.query('BEGIN');
  await client.query('CREATE TEMP TABLE copies ON COMMIT DROP AS SELECT uuidv7() AS id FROM generate_series(1, $1)', [
    missing,
  ]);
  await client.query(
    `INSERT INTO executions SELECT copy.* FROM copies, executions e,
       jsonb_populate_record(e, jsonb_build_object('id', copies.id)) AS copy WHERE e.id = $1`,
    [template],
  );
  // `sealed_for` is the run whose payload this is.
  await client.query(
    `INSERT INTO live_runs SELECT copy.* FROM copies, live_runs r,
       jsonb_populate_record(r, jsonb_build_object('execution_id', copies.id, 'forced', true, 'sealed_for', $1::uuid)) AS copy
     WHERE r.execution_id = $1`,
    [template],
  );
  await client.query('COMMIT');
  await client.query('VACUUM ANALYZE live_runs');
  await client.query('VACUUM ANALYZE executions');
}

/**
 * Lets all waiting runs wait for one worker, or for any.
 * @param {import('pg').Client} client @param {string | null} workerId
 */
export async function sendTo(client, workerId) {
  await client.query('UPDATE live_runs SET worker_id = $1::uuid, on_any = $1::uuid IS NULL WHERE boot_id IS NULL', [
    workerId,
  ]);
}

/** @param {import('pg').Client} client @returns {Promise<number>} how many runs wait */
export async function waiting(client) {
  const { rows } = await client.query('SELECT count(*)::int AS n FROM live_runs WHERE boot_id IS NULL');
  return rows[0].n;
}

/** @param {import('pg').Client} client */
export async function removeWaiting(client) {
  await client.query('DELETE FROM live_runs WHERE boot_id IS NULL');
  await client.query('VACUUM ANALYZE live_runs');
}
