import { randomUUID } from 'node:crypto';
import { TestWorker } from '../test-worker.js';
import { unique, type World } from '../world.js';
import { brokenRun, endedRun, ids, judgedRun, seeingRun } from './ended-runs.js';
import type { Call, MakeCall, Routes } from './route.js';

/** Starts a run that stays live: its worker ends runs only when it gets a stop command. */
const liveRun = async ({ owner, idleWorker }: World): Promise<string> =>
  owner.create('/joint-api/execute-skript/single-worker/start?wait_ms=0&force=true', {
    worker_id: idleWorker.id,
    skript_id: owner.things.skript_id,
  });

/** Makes an item with one change, which a run found. `more` are fields of both. */
async function makeItem(
  world: World,
  more: object = {},
  runId = world.owner.things.skriptExecution_id,
): Promise<string> {
  const { skript_id } = world.owner.things;
  const item = randomUUID().replaceAll('-', '');
  const at = { $date: new Date().toISOString() };
  const known = { ...more, _run: runId, _key: JSON.stringify({ sku: item }) };
  const times = { _first_seen: at, _last_seen: at, _changed_at: at, _gone_at: null };
  await makeRow(world, `items_${skript_id}`, { _id: item, sku: item, ...known, ...times });
  const change = { kind: 'changed', fields: [{ field: 'price', was: 1, now: 2 }], at };
  await makeRow(world, `changes_${skript_id}`, { _id: `${runId}/${item}`, _item: item, ...known, ...change });
  return item;
}

/** Makes changes of one item that are too large for a page. */
async function ofLargeItem(world: World): Promise<Call> {
  const { skript_id, skriptExecution_id } = world.owner.things;
  const item = await makeItem(world);
  for (let count = 1; count <= 20; count++) {
    const change = {
      kind: 'changed',
      _key: 'x'.repeat(900_000),
      fields: null,
      at: { $date: new Date().toISOString() },
    };
    const _id = `${skriptExecution_id}/${randomUUID()}`;
    await makeRow(world, `changes_${skript_id}`, { _id, _run: skriptExecution_id, _item: item, ...change });
  }
  return { path: { key: item } };
}

const recordedRun = async (world: World, problem: string | null = null, skriptId?: string): Promise<string> => {
  const fields = { ...ids(world), ...(skriptId !== undefined && { skript_id: skriptId }) };
  const id = await world.owner.create('/joint-api/execute-skript/single-worker/start?force=true', fields);
  await world.app.sql('UPDATE executions SET record = $2 WHERE id = $1', [
    id,
    { bytes: problem === null ? 3 : 0, exchanges: 0, problem },
  ]);
  await world.app.sql(
    `INSERT INTO record_parts (execution_id, n, owner_id, bytes, data) SELECT id, 1, owner_id, 3, 'abc' FROM executions
     WHERE id = $1`,
    [id],
  );
  return id;
};

/** Records a run of a skript, and then changes the skript. */
async function replayOfChanged(world: World, change: (skriptId: string) => Promise<unknown>): Promise<Call> {
  const skriptId = await world.owner.makeSkript();
  const id = await recordedRun(world, null, skriptId);
  await change(skriptId);
  return { ...inPath(id), body: {} };
}

const mainOf = async ({ app }: World, skriptId: string): Promise<string> => {
  const [file] = await app.sql<{ id: string }>(
    `SELECT id FROM skript_files WHERE skript_id = $1 AND name = 'main.js'`,
    [skriptId],
  );
  return String(file?.id);
};

const ofLiveRun: MakeCall = async world => ({ query: { execution_id: await liveRun(world) } });
const inPath = (skriptExecution_id: string): Call => ({ path: { skriptExecution_id } });
const byPost: MakeCall = async world => inPath(await liveRun(world));

/** Starts a run on a worker of its own, which `change` prepares. */
async function runOnOwnWorker(world: World, change: (worker: TestWorker) => void): Promise<string> {
  const { id, key } = await world.admin.created('/joint-api/workers/addnew', { name: unique(), public: true });
  const worker = await TestWorker.connect(world.app, key, { sandbox: 'full' });
  change(worker);
  const run = { worker_id: id, skript_id: world.owner.things.skript_id };
  const start = '/joint-api/execute-skript/single-worker/start?wait_ms=0&force=true';
  const execution_id = await world.owner.create(start, run);
  await worker.offers.next();
  return execution_id;
}

/** Starts a run on a worker that cannot pause runs. */
const unpausable = (world: World): Promise<string> =>
  runOnOwnWorker(world, worker => {
    worker.answerToControls = () => ({ action: 'start', refused: 'Its system has no signals.' });
  });

/** Starts a run whose question is closed. */
async function ofClosedQuestion(world: World): Promise<Call> {
  const skriptExecution_id = await runOnOwnWorker(world, worker => {
    worker.answerToAnswers = 'closed';
  });
  return { path: { skriptExecution_id }, body: ANSWER };
}

const ANSWER = { seq: 1, answer: 'last' };

/** Calls that cause the errors of both start routes. `of` turns the ids into a call of the route. */
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

/** Adds a document to a collection of the owner's first database, which has the rows of runs. */
export async function makeRow({ owner, app }: World, collection: string, row: object): Promise<void> {
  const [first] = await app.sql<{ id: string }>(
    'SELECT id FROM mongo_databases WHERE owner_id = $1 ORDER BY id LIMIT 1',
    [owner.id],
  );
  await owner.created(`/joint-api/mongo/${first?.id}/${collection}/addnew`, row);
}

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
    errors: {
      no_live_run: () => ({ query: { execution_id: randomUUID() } }),
      pause_not_available: async world => ({ query: { execution_id: await unpausable(world) } }),
    },
  },
  resumeSkript: {
    access: 'owned',
    scope: 'run',
    call: ofLiveRun,
    errors: { no_live_run: () => ({ query: { execution_id: randomUUID() } }) },
  },
  answerQuestion: {
    access: 'owned',
    scope: 'run',
    call: async world => ({ path: { skriptExecution_id: await liveRun(world) }, body: ANSWER }),
    errors: {
      no_live_run: async world => ({ path: { skriptExecution_id: await endedRun(world) }, body: ANSWER }),
      conflict: ofClosedQuestion,
    },
  },
  stopExecution: {
    access: 'owned',
    scope: 'run',
    call: byPost,
    errors: { no_live_run: () => inPath(randomUUID()) },
  },
  pauseExecution: {
    access: 'owned',
    scope: 'run',
    call: byPost,
    errors: {
      no_live_run: () => inPath(randomUUID()),
      pause_not_available: async world => inPath(await unpausable(world)),
    },
  },
  resumeExecution: {
    access: 'owned',
    scope: 'run',
    call: byPost,
    errors: { no_live_run: () => inPath(randomUUID()) },
  },
  listExecutions: { access: 'own' },
  listLatestRuns: {
    access: 'own',
    call: ({ owner }) => ({ query: { skript_ids: String(owner.things.skript_id) } }),
  },
  listWrittenData: { access: 'own', call: ({ owner }) => ({ query: { skript_id: owner.things.skript_id } }) },
  listAllExecutions: { access: 'admin' },
  getExecution: { access: 'owned' },
  listRunProxies: { access: 'owned' },
  acceptVerdict: { access: 'owned', call: async world => ({ path: { skriptExecution_id: await judgedRun(world) } }) },
  compareRuns: {
    access: 'owned',
    call: ({ owner: { things } }) => ({ path: { other_execution_id: String(things.execution_id) } }),
  },
  downloadRecord: { access: 'owned', call: async world => inPath(await recordedRun(world)) },
  downloadInsertedRows: { access: 'owned', call: async world => inPath(await recordedRun(world)) },
  replayRun: {
    access: 'owned',
    scope: 'run',
    call: async world => ({ ...inPath(await recordedRun(world)), body: { worker_id: world.worker.id } }),
    errors: {
      conflict: async world => ({ ...inPath(await recordedRun(world, 'Your quota is full.')), body: {} }),
      main_missing: world =>
        replayOfChanged(world, async id =>
          world.owner.api('DELETE', `/joint-api/skript-files/${await mainOf(world, id)}`),
        ),
      bundle_failed: world =>
        replayOfChanged(world, async id =>
          world.owner.api('PUT', `/joint-api/skript-files/${await mainOf(world, id)}`, { content: 'const broken =' }),
        ),
      environment_not_available: world =>
        replayOfChanged(world, id => world.owner.api('PUT', `/joint-api/skripts/${id}`, { environment: 'python' })),
      idempotency_key_reused: async world => {
        const headers = { 'idempotency-key': randomUUID() };
        const call = { ...inPath(await recordedRun(world)), headers };
        const path = `/joint-api/skript-execution/${call.path?.skriptExecution_id}/replay`;
        await world.owner.api('POST', path, {}, headers);
        return { ...call, body: { on_miss: 'network' } };
      },
    },
  },
  listExchanges: { access: 'owned', call: async world => ({ path: { skriptExecution_id: await seeingRun(world) } }) },
  downloadExchanges: {
    access: 'owned',
    call: async world => ({ path: { skriptExecution_id: await seeingRun(world) } }),
  },
  getExchange: {
    access: 'owned',
    call: async world => ({ path: { skriptExecution_id: await seeingRun(world), sequence: '1' } }),
  },
  suggestSelectors: {
    access: 'owned',
    call: async world => ({ path: { skriptExecution_id: await brokenRun(world) }, query: { field: 'price' } }),
  },
  suggestRowSelectors: {
    access: 'owned',
    call: async world => ({ path: { skriptExecution_id: await brokenRun(world) } }),
  },
  listRunRows: {
    access: 'owned',
    errors: {
      payload_too_large: async world => {
        const { skript_id, skriptExecution_id } = world.owner.things;
        const row = { _run: skriptExecution_id, text: 'x'.repeat(900_000) };
        for (let count = 1; count <= 20; count++) await makeRow(world, `dataset_${skript_id}`, row);
        return {};
      },
    },
  },
  deleteExecutions: {
    access: 'own',
    call: async world => ({ body: { ids: [await endedRun(world)] } }),
    errors: { not_found: () => ({ body: { skript_id: 'No skript has this title' } }) },
  },
  deleteExecution: {
    access: 'owned',
    call: async world => ({ path: { skriptExecution_id: await endedRun(world) } }),
    errors: { has_live_run: async world => ({ path: { skriptExecution_id: await liveRun(world) } }) },
  },
  listRunChanges: {
    access: 'owned',
    call: async world => {
      await makeItem(world);
      return {};
    },
    errors: {
      payload_too_large: async world => {
        await ofLargeItem(world);
        return {};
      },
    },
  },
  listItems: {
    access: 'owned',
    call: async world => {
      await makeItem(world);
      return {};
    },
    errors: {
      payload_too_large: async world => {
        for (let count = 1; count <= 20; count++) await makeItem(world, { text: 'x'.repeat(900_000) });
        return {};
      },
    },
  },
  listItemHistory: {
    access: 'owned',
    call: async world => ({ path: { key: await makeItem(world) } }),
    errors: { payload_too_large: ofLargeItem },
  },
  getItemsMedian: { access: 'owned', call: () => ({ query: { field: 'price' } }) },
};
