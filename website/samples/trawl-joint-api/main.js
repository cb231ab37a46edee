const axios = require('axios');
const { echo } = require('@trawl/echo');
const { mongo } = require('@trawl/storage');

const OVER = ['stop', 'end', 'error'];
const LIVE = ['start', 'pause'];

const seconds = (from, to) => Math.round((Date.parse(to) - Date.parse(from)) / 100) / 10;

// The input's paths lead to saved answers. On a Trawl they are
//   /apps/workers/list?limit=1000
//   /joint-api/skript-execution/list?sort=created_at&limit=1000&skip={skip}
// Oldest first: a run that begins meanwhile comes last and moves no other to another page.
module.exports = async ({ base_url, workers, executions, read_at }, { token } = {}) => {
  const api = axios.create({ baseURL: base_url, headers: token ? { authorization: `Bearer ${token}` } : {} });
  const answer = async path => {
    try {
      return (await api.get(path)).data;
    } catch (error) {
      const { error_code, error_message, request_id } = error.response?.data ?? {};
      if (error_code === 'unauthorized') throw new Error('The token has ended: sign in again with POST /panel/login.');
      if (!error_code) throw error;
      throw new Error(`${path}: ${error_message} (${error_code}, request ${request_id})`, { cause: error });
    }
  };

  const status_of = new Map((await answer(workers)).items.map(({ id, status }) => [id, status]));
  const runs = new Map();
  let total = Number.POSITIVE_INFINITY;
  for (let skip = 0; skip < total; ) {
    const list = await answer(executions.replace('{skip}', skip));
    for (const run of list.items) runs.set(run.id, run);
    if (list.total_capped) echo.warn(`There are more than ${list.total} runs; read them by skript_id instead.`);
    total = list.total;
    skip += list.limit;
  }
  if (runs.size !== total)
    throw new Error(`${runs.size} runs read, ${total} stated. One was deleted while reading: start again.`);

  const rows = [...runs.values()].map(run => {
    if (![...OVER, ...LIVE].includes(run.action))
      throw new Error(`Run ${run.id} has the unknown action "${run.action}".`);
    const is_over = OVER.includes(run.action);
    return {
      run_id: run.id,
      skript: run.skript.name,
      action: run.action,
      worker: run.worker?.name ?? null,
      started_at: run.created_at,
      took_s: is_over ? seconds(run.created_at, run.updated_at) : null,
      echoes: run.last_seq,
      input_name: run.input?.name ?? null,
      is_over,
      error_code: run.error_code,
      error_line: run.error_stack?.split('\n')[0] ?? null,
      skript_category: run.skript.category,
      ended_at: is_over ? run.updated_at : null,
      waiting_for: run.waiting_for?.reason ?? null,
      waiting_s: run.waiting_for ? seconds(run.waiting_for.since, read_at) : null,
      worker_status: status_of.get(run.worker?.id) ?? null,
      run_address: new URL(`/joint-api/skript-execution/${run.id}`, base_url).href,
      echoes_address: new URL(`/joint-api/echoes/${run.id}/list`, base_url).href,
    };
  });
  for (const row of rows) await mongo.collection('runs').replaceOne({ run_id: row.run_id }, row, { upsert: true });

  const stuck = rows.filter(({ waiting_s }) => waiting_s > 300);
  for (const { skript, waiting_for, waiting_s } of stuck)
    echo.warn(`${skript} has waited ${waiting_s} s: ${waiting_for}`);
  return { runs: rows.length, failed: rows.filter(({ action }) => action === 'error').length, stuck: stuck.length };
};
