import { randomUUID } from 'node:crypto';
import { TestWorker } from '../test-worker.js';
import { unique, type World } from '../world.js';
import type { Call, MakeCall, Routes } from './route.js';

const ids = ({ owner: { things }, worker }: World) => ({ worker_id: worker.id, skript_id: things.skript_id });

/** A run that goes on, on the worker that ends none by itself. */
const liveRun = async ({ owner, idleWorker }: World): Promise<string> =>
  owner.create('/joint-api/execute-skript/single-worker/start?wait_ms=0&force=true', {
    worker_id: idleWorker.id,
    skript_id: owner.things.skript_id,
  });

const endedRun = async (world: World): Promise<string> =>
  world.owner.create('/joint-api/execute-skript/single-worker/start?force=true', ids(world));

const ofLiveRun: MakeCall = async world => ({ query: { execution_id: await liveRun(world) } });

/** A run on a worker that cannot freeze processes. */
async function ofUnpausable(world: World): Promise<Call> {
  const { id, key } = await world.admin.created('/joint-api/workers/addnew', { name: unique(), public: true });
  const worker = await TestWorker.connect(world.app, key, { sandbox: 'full' });
  worker.answerToControls = () => ({ action: 'start', refused: 'Its system has no signals.' });
  const run = { worker_id: id, skript_id: world.owner.things.skript_id };
  const start = '/joint-api/execute-skript/single-worker/start?wait_ms=0&force=true';
  const execution_id = await world.owner.create(start, run);
  await worker.offers.next();
  return { query: { execution_id } };
}

/** How both starts fail; `of` puts the ids where the route takes them. */
const startErrors = (of: (fields: Record<string, string>) => Call) => ({
  already_running: async (world: World) => {
    const skript = await world.owner.makeSkript();
    const fields = { worker_id: world.idleWorker.id, skript_id: skript };
    await world.owner.create('/joint-api/execute-skript/single-worker/start?wait_ms=0', fields);
    return of(fields);
  },
  main_missing: async (world: World) =>
    of({ ...ids(world), skript_id: await world.owner.makeSkript({ mainJs: null }) }),
  bundle_failed: async (world: World) =>
    of({ ...ids(world), skript_id: await world.owner.makeSkript({ mainJs: 'const broken =' }) }),
  environment_not_available: async (world: World) =>
    of({ ...ids(world), skript_id: await world.owner.makeSkript({ environment: 'python' }) }),
});

export const executionRoutes: Routes = {
  startSkript: {
    access: 'owned',
    scope: 'run',
    call: world => ({ query: { force: true }, body: { ...ids(world), input: { page: 1 }, inputSecret: 'hidden' } }),
    errors: {
      ...startErrors(body => ({ body })),
      idempotency_key_reused: async world => {
        const headers = { 'idempotency-key': randomUUID() };
        const body = ids(world);
        await world.owner.api('POST', '/joint-api/execute-skript/single-worker/start?force=true', body, headers);
        return { body: { ...body, input: 'another' }, headers };
      },
    },
  },
  startSkriptOnWorkers: {
    access: 'owned',
    scope: 'run',
    call: ({ owner: { things }, worker }) => ({
      query: { force: true },
      body: { worker_ids: [worker.id], skript_id: things.skript_id, input: { page: 1 } },
    }),
    errors: {
      main_missing: async world => ({
        body: { worker_ids: [world.worker.id], skript_id: await world.owner.makeSkript({ mainJs: null }) },
      }),
      bundle_failed: async world => ({
        body: { worker_ids: [world.worker.id], skript_id: await world.owner.makeSkript({ mainJs: 'const broken =' }) },
      }),
      idempotency_key_reused: async world => {
        const headers = { 'idempotency-key': randomUUID() };
        const body = { worker_ids: [world.worker.id], skript_id: world.owner.things.skript_id };
        const path = '/joint-api/execute-skript/multi-worker/start?force=true';
        await world.owner.api('POST', path, body, headers);
        return { body: { ...body, input: 'another' }, headers };
      },
    },
  },
  startStoredSkript: {
    access: 'owned',
    scope: 'run',
    call: world => {
      const { input_id, inputSecret_id } = world.owner.things;
      return { query: { ...ids(world), input_id, inputSecret_id, force: true } };
    },
    errors: {
      ...startErrors(query => ({ query: { ...query } })),
      idempotency_key_reused: async world => {
        const headers = { 'idempotency-key': randomUUID() };
        const { worker_id, skript_id } = ids(world);
        const start = `/joint-api/execute-skript/single-worker/start?worker_id=${worker_id}&skript_id=${skript_id}`;
        await world.owner.api('GET', `${start}&force=true`, undefined, headers);
        return { query: { ...ids(world), input_id: world.owner.things.input_id, force: true }, headers };
      },
    },
  },
  stopSkript: {
    access: 'owned',
    scope: 'run',
    call: ofLiveRun,
    errors: { no_live_run: () => ({ query: { execution_id: randomUUID() } }) },
  },
  pauseSkript: {
    access: 'owned',
    scope: 'run',
    call: ofLiveRun,
    errors: { no_live_run: () => ({ query: { execution_id: randomUUID() } }), pause_not_available: ofUnpausable },
  },
  resumeSkript: {
    access: 'owned',
    scope: 'run',
    call: ofLiveRun,
    errors: { no_live_run: () => ({ query: { execution_id: randomUUID() } }) },
  },
  listExecutions: { access: 'own' },
  getExecution: { access: 'owned' },
  deleteExecution: {
    access: 'owned',
    call: async world => ({ path: { skriptExecution_id: await endedRun(world) } }),
    errors: { has_live_run: async world => ({ path: { skriptExecution_id: await liveRun(world) } }) },
  },
};
