// @ts-check
// Measures the transactions and the processor time of backends and PostgreSQL.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** Units of processor time in /proc, of which Linux counts 100 a second. */
const TICKS_PER_S = 100;

/**
 * @typedef {object} Cost
 * @property {number} transactions
 * @property {number} backend processor time of all backends, in ms
 * @property {number} postgres processor time of PostgreSQL, in ms
 * @property {number} seconds
 */

/**
 * @param {import('pg').Client} client
 * @param {() => number[]} backends process ids
 */
export function costMeter(client, backends) {
  const counted = async () => {
    const [row] = (
      await client.query(`SELECT pg_backend_pid() AS pid, pg_stat_clear_snapshot(),
        (SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database())::int AS transactions`)
    ).rows;
    const postmaster = fieldsOf(row.pid).parent;
    return {
      transactions: row.transactions,
      backend: backends().reduce((sum, pid) => sum + fieldsOf(pid).ms, 0),
      postgres: familyMs(postmaster),
      seconds: performance.now() / 1_000,
    };
  };
  /**
   * Measures what is used while `work` runs.
   * @param {() => Promise<unknown>} work @returns {Promise<Cost>}
   */
  const during = async work => {
    const before = await counted();
    await work();
    const after = await counted();
    return {
      transactions: after.transactions - before.transactions,
      backend: after.backend - before.backend,
      postgres: after.postgres - before.postgres,
      seconds: after.seconds - before.seconds,
    };
  };
  /** @param {number} ms */
  const idle = ms => during(() => delay(ms));
  return { during, idle };
}

/** @param {number} pid @returns {{ parent: number, ms: number, endedMs: number }} `endedMs`: of ended children */
function fieldsOf(pid) {
  const [, ...fields] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  const at = (/** @type {number} */ index) => Number(fields[index]);
  const ms = (/** @type {number} */ ticks) => (ticks * 1_000) / TICKS_PER_S;
  return { parent: at(0), ms: ms(at(10) + at(11)), endedMs: ms(at(12) + at(13)) };
}

/** @param {number} postmaster @returns {number} processor time of PostgreSQL's processes, also of those that ended */
function familyMs(postmaster) {
  const { ms, endedMs } = fieldsOf(postmaster);
  let sum = ms + endedMs;
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const fields = fieldsOf(Number(entry));
      if (fields.parent === postmaster) sum += fields.ms;
    } catch {
      // The process has ended.
    }
  }
  return sum;
}
