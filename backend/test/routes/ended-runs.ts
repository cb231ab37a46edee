import { gzipSync } from 'node:zlib';
import type { Evidence, KeptExchange } from '@trawl/contracts';
import { listOf } from '../../src/runs/executions/evidence/evidence.service.js';
import type { World } from '../world.js';

export const ids = ({ owner: { things }, worker }: World) => ({ worker_id: worker.id, skript_id: things.skript_id });

export const endedRun = async (world: World): Promise<string> =>
  world.owner.create('/joint-api/execute-skript/single-worker/start?force=true', ids(world));

export const judgedRun = async (world: World): Promise<string> => {
  const id = await endedRun(world);
  await world.app.sql(
    `INSERT INTO run_profiles (execution_id, skript_id, input_key, profile, verdict)
     SELECT id, skript_id, '', '{"targets":[],"skipped":[]}', '{"level":"ok","reason":null,"findings":[]}'
     FROM executions WHERE id = $1
     ON CONFLICT (execution_id) DO UPDATE SET verdict = EXCLUDED.verdict`,
    [id],
  );
  return id;
};

/** A run of which Trawl has kept an exchange. */
export async function seeingRun(world: World): Promise<string> {
  const id = await endedRun(world);
  const exchange = {
    sequence: 1,
    started_at: '2026-02-15T09:30:00.000Z',
    duration_ms: 84,
    via: 'undici',
    method: 'GET',
    url: 'https://books.example/list?page=2',
    request_headers: [['authorization', '[redacted]']],
    request_body: null,
    status: 403,
    status_text: 'Forbidden',
    response_headers: [['content-type', 'text/html']],
    body: { encoding: 'text', data: '<!doctype html><title>Access denied</title>' },
    body_bytes: 43,
    is_cut: false,
    error: null,
  } satisfies KeptExchange;
  const page = { title: 'Access denied', url: exchange.url, picture: null, html: '<html></html>', console: [] };
  const evidence: Evidence = { exchanges: [exchange], page };
  await world.app.sql(
    `INSERT INTO run_evidence (execution_id, list, gz) VALUES ($1, $2, $3) ON CONFLICT (execution_id) DO NOTHING`,
    [id, JSON.stringify(listOf(evidence)), gzipSync(JSON.stringify(evidence))],
  );
  return id;
}

/** A run of which Trawl has kept an exchange, after a good run with the same input. */
export async function brokenRun(world: World): Promise<string> {
  const ids = [await judgedRun(world), await seeingRun(world)];
  await world.app.sql(
    `INSERT INTO run_profiles (execution_id, skript_id, input_key, profile, verdict, is_good)
     SELECT id, skript_id, '', '{"targets":[],"skipped":[]}', '{"level":"broken","reason":null,"findings":[]}', false
     FROM executions WHERE id = $1
     ON CONFLICT (execution_id) DO UPDATE SET input_key = EXCLUDED.input_key`,
    [ids[1]],
  );
  return String(ids[1]);
}
