import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { API_ERRORS, type ApiErrorCode, QUOTA_NAMES } from '@trawl/contracts';
import { sampleOf } from '../../../../scripts/jest/sample.js';
import type { Operation } from '../../../test/documented-api.js';
import { ROUTES } from '../../../test/routes/index.js';
import type { Call } from '../../../test/routes/route.js';
import { goodCall, routeOf, scopeOf, send, usualApi } from '../../../test/routes/send.js';
import { TcpProxy } from '../../../test/tcp-proxy.js';
import type { Answer } from '../../../test/test-app.js';
import { makeWorld, type World } from '../../../test/world.js';

/** A number of calls that exceeds every rate limit. */
const TRIES = 300;
const LARGE_TEXT = `"${'x'.repeat(9 * 1024 * 1024)}"`;

/**
 * For these routes, `quota_exceeded` can only mean too many idempotency keys: they create nothing that has a quota, or
 * report quota errors for each item.
 */
const LIMITED_BY_KEYS_ONLY = [
  'createDemoAccount',
  'createExport',
  'runExporter',
  'createSkriptFile',
  'createUser',
  'createWorker',
  'createWorkerAssignment',
  'createWorkerGroup',
  'createWorkerGroupAssignment',
  'runPostgresQuery',
  'startImport',
  'startSkriptOnWorkers',
  'testWebhook',
  'triggerSchedule',
  'updateMongoDocuments',
];

/** If no call in this test can cause the error, returns where the error is tested instead. */
function testedElsewhere(code: ApiErrorCode, operation: Operation): string | undefined {
  const { id, method } = operation;
  if (code === 'internal_error') return 'nothing may bring it about: properties.integration.test.ts tries';
  if (code === 'storage_unavailable') return 'below, with MongoDB or the PostgreSQL of users out of reach';
  if (code === 'service_unavailable') return 'below, with PostgreSQL out of reach';
  if (code === 'unsupported_media_type' && method === 'GET') return 'below, as fetch sends no body with a GET';
  const hasRow = ROUTES[id]?.errors?.[code] !== undefined;
  if (!hasRow && code === 'storage_rejected') return 'storage-failures.unit.test.ts: what MongoDB itself refuses';
  if (!hasRow && code === 'storage_outcome_unknown') return 'storage-failures.unit.test.ts: a connection lost midway';
  if (!hasRow && code === 'quota_exceeded' && /^((create|copy)MongoCollection|createMongoDocuments?)$/.test(id)) {
    return 'collection-room.integration.test.ts: a thousand collections take long to make';
  }
  if (code === 'quota_exceeded' && LIMITED_BY_KEYS_ONLY.includes(id)) {
    return 'idempotency.integration.test.ts: more keys than an account may keep';
  }
  if (id === 'copyMongoCollection' && code === 'storage_duplicate_key') return 'only of a write at the same moment';
  if (id === 'uploadSkript' && code === 'too_many_requests') return 'archives.integration.test.ts: five at once';
  if (/^(bundleSkript|start(Stored)?Skript)$/.test(id) && code === 'too_many_requests') {
    return 'build-queue.unit.test.ts: more builds than may wait';
  }
  if (id === 'streamEchoes' && code === 'too_many_requests') return 'echo-streams.integration.test.ts: many open logs';
  if (
    code === 'too_many_requests' &&
    (operation.path.startsWith('/joint-api/mongo') || /^(list|export)RunRows$/.test(id))
  ) {
    return 'mongo-turns.integration.test.ts: more calls at once than may wait';
  }
  if (id === 'replayRun' && code === 'quota_exceeded')
    return 'the route startSkript: a replay counts as any other start';
  if (id === 'createExporter' && code === 'quota_exceeded') return 'exporters.integration.test.ts: 51 exporters';
  if (/^export(MongoDocuments|RunRows|PostgresTable)$/.test(id) && code === 'conflict')
    return 'formats.unit.test.ts: a change during the export';
  if (/^(createExport|runExporter|startImport)$/.test(id) && code === 'too_many_requests')
    return 'jobs.integration.test.ts: many open jobs';
  if (code === 'too_many_requests' && isOfUserPostgres(operation)) {
    return 'postgres-console.integration.test.ts: more calls at once than may wait';
  }
  if (!hasRow && code === 'too_many_requests' && routeOf(operation).access !== 'public') {
    return 'call-slots.integration.test.ts: more calls at once than may wait';
  }
  if (!hasRow && code === 'conflict' && takesKey(operation)) return 'idempotency.integration.test.ts';
  return undefined;
}

/**
 * For errors that many routes have: changes a successful call, `good`, so that it fails with this error. Returns null if the
 * route cannot fail in this way. A row in backend/test/routes takes precedence.
 */
const GENERIC: Partial<Record<ApiErrorCode, (operation: Operation, good: Call) => Call | null | Promise<Call | null>>> =
  {
    unauthorized: (_, good) => ({ ...good, as: 'anonymous' }),
    forbidden: (operation, good) => {
      if (routeOf(operation).access === 'admin') return { ...good, as: 'owner' };
      return scopeOf(operation) === 'read' ? null : { ...good, as: 'anonymous', headers: { authorization: readKey } };
    },
    validation_failed: (_, good) => ({ ...good, query: { ...good.query, colour: 'red' } }),
    invalid_json: (_, good) => ({ ...good, body: '{"title":' }),
    unsupported_media_type: (_, good) => ({ ...good, body: 'title', headers: { 'content-type': 'text/plain' } }),
    payload_too_large: ({ body }, good) => (body ? { ...good, body: LARGE_TEXT } : null),
    bad_request: ({ body, path }, good) =>
      body
        ? { ...good, body: `${'['.repeat(1_001)}${']'.repeat(1_001)}` }
        : { ...good, url: path.replaceAll(/\{\w+\}/g, '%E0%A4%A') },
    not_found: (operation, good) => {
      const id = idParameter(operation, good);
      if (id !== undefined) return { ...good, path: { ...good.path, [id]: randomUUID() } };
      if (operation.parameters.some(({ in: place, name }) => place === 'query' && name === 'skript_id')) {
        return { ...good, query: { ...good.query, skript_id: 'no such title' } };
      }
      const field = (fields: unknown) =>
        Object.entries((fields ?? {}) as object).find(
          ([, value]) => isUuid(value) && value !== world.idleWorker.id,
        )?.[0];
      const [inBody, inQuery] = [field(good.body), field(good.query)];
      if (inBody) return { ...good, body: { ...(good.body as object), [inBody]: randomUUID() } };
      return inQuery ? { ...good, query: { ...good.query, [inQuery]: randomUUID() } } : null;
    },
    idempotency_key_reused: async operation => {
      const good = await goodCall(world, operation);
      const headers = { ...good.headers, 'idempotency-key': randomUUID() };
      await send(world, operation, { ...good, headers }, usualApi(world, operation, good));
      return { ...good, headers, body: { ...(good.body as object), colour: 'red' } };
    },
    // All quotas are set to 1. The other user already has one of everything that has a quota, so creating another one
    // fails.
    quota_exceeded: async (_, good) => {
      const onlyOne = Object.fromEntries(QUOTA_NAMES.map(name => [name, 1]));
      await world.app.sql('UPDATE users SET quotas = $1 WHERE id = $2', [onlyOne, world.other.id]);
      return { ...asOther(good), as: 'other' };
    },
  };

const isOfUserPostgres = ({ path }: Operation): boolean => path.startsWith('/joint-api/postgres');

const takesKey = ({ parameters }: Operation): boolean => parameters.some(({ name }) => name === 'Idempotency-Key');

const isUuid = (value: unknown): boolean => typeof value === 'string' && /^[0-9a-f]{8}-[0-9a-f]{4}-/.test(value);

/** Returns the name of the first path parameter that is a UUID. */
const idParameter = ({ parameters }: Operation, good: Call): string | undefined =>
  parameters.find(({ in: place, name }) => place === 'path' && isUuid(good.path?.[name] ?? world.owner.things[name]))
    ?.name;

/** Returns the same call with the other user's ids. */
function asOther(call: Call): Call {
  const { owner, other } = world;
  if (Buffer.isBuffer(call.body)) return call;
  const theirs = new Map(Object.entries(owner.things).map(([name, id]) => [id, other.things[name]]));
  return JSON.parse(JSON.stringify(call), (_, value) => theirs.get(value) ?? value);
}

let world: World;
let readKey: string;
beforeAll(async () => {
  world = await makeWorld();
  readKey = `Bearer ${(await world.owner.makeKey('read')).key}`;
});
afterAll(() => world?.close());

const operationOf = (id: string): Operation => {
  const operation = world.documented.operations.find(one => one.id === id);
  if (!operation) throw new Error(`${id} is not in openapi.yaml: remove its row from backend/test/routes/.`);
  return operation;
};

describe('the errors that openapi.yaml names', () => {
  it.each(sampleOf(Object.keys(ROUTES), { oneIn: 8 }))('can each be caused by a call of the route %s', async id => {
    const operation = operationOf(id);
    const wanted = operation.errors.filter(code => !testedElsewhere(code, operation));
    const answered: Record<string, unknown> = {};
    // A call that fails uses up nothing, so one valid call is the base of all.
    const good = await goodCall(world, operation);
    for (const code of wanted) answered[code] = await produce(code, operation, good);
    expect(answered).toEqual(Object.fromEntries(wanted.map(code => [code, `${API_ERRORS[code]} ${code}`])));
  });

  it('include each error for which the table of routes has a call', () => {
    const undocumented = Object.entries(ROUTES).flatMap(([id, { errors = {} }]) =>
      Object.keys(errors).flatMap(code =>
        operationOf(id).errors.includes(code as ApiErrorCode) ? [] : [`${id} ${code}`],
      ),
    );
    expect(undocumented).toEqual([]);
  });
});

describe('a GET with a body that is not JSON', () => {
  it('is refused with 415 by every route that documents this error', async () => {
    const { documented, app } = world;
    const gets = documented.operations.filter(
      ({ method, errors }) => method === 'GET' && errors.includes('unsupported_media_type'),
    );
    const statuses = await Promise.all(gets.map(({ path }) => statusOfGetWithBody(app.url + path)));
    expect(gets.map(({ id }, index) => [id, statuses[index]])).toEqual(gets.map(({ id }) => [id, 415]));
  });
});

const statusOfGetWithBody = (url: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { headers: { 'content-type': 'text/plain', 'content-length': 4 } }, response => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject).end('text');
  });

describe('with an unreachable database', () => {
  const CODES = {
    mongodbUri: 'storage_unavailable',
    userPostgresUrl: 'storage_unavailable',
    // Last, because broken connections of the pool fail calls for a while after it.
    postgresUrl: 'service_unavailable',
  } as const;
  type Database = keyof typeof CODES;
  const DATABASES = Object.keys(CODES) as Database[];
  const calls = {} as Record<Database, [Operation, Call][]>;
  const usual = {} as Record<Database, string>;
  const proxies = {} as Record<Database, TcpProxy>;

  const needs = (operation: Operation, database: Database): boolean =>
    operation.errors.includes(CODES[database]) &&
    (database === 'postgresUrl' || isOfUserPostgres(operation) === (database === 'userPostgresUrl'));

  async function restartWith(addressOf: (database: Database) => string) {
    await world.app.stop();
    for (const database of DATABASES) world.app.config[database] = addressOf(database);
    await world.app.start();
  }

  beforeAll(async () => {
    for (const database of DATABASES) {
      const needing = world.documented.operations.filter(operation => needs(operation, database));
      calls[database] = [];
      for (const operation of sampleOf(needing, { oneIn: 8, offset: 4 }))
        calls[database].push([operation, await goodCall(world, operation)]);
      usual[database] = String(world.app.config[database]);
      proxies[database] = await TcpProxy.start(new URL(usual[database]));
    }
    await restartWith(database => proxies[database].url);
  });
  afterAll(async () => {
    await restartWith(database => usual[database]);
    for (const proxy of Object.values(proxies)) await proxy.close();
  });

  it.each(DATABASES)('%s: the routes that need this database answer 503 with the documented error', async database => {
    await proxies[database].close();
    const answers = await Promise.all(
      calls[database].map(([operation, call]) => send(world, operation, call, usualApi(world, operation))),
    );
    await proxies[database].open();
    expect(answers.map((answer, index) => [calls[database][index]?.[0].id, said(answer)])).toEqual(
      calls[database].map(([{ id }]) => [id, `503 ${CODES[database]}`]),
    );
  });
});

/**
 * Makes a call that should fail with this error. Returns the status and error of the response, or a hint that the test
 * has no such call.
 */
async function produce(code: ApiErrorCode, operation: Operation, good: Call): Promise<string> {
  const call = (await routeOf(operation).errors?.[code]?.(world)) ?? (await GENERIC[code]?.(operation, good));
  if (code === 'too_many_requests') return said(await flood(operation, call ?? (await goodCall(world, operation))));
  if (!call) return `nothing produces it: add errors: { ${code}: … } to its row in backend/test/routes/`;
  return said(await send(world, operation, call, usualApi(world, operation, call)));
}

const said = ({ status, body }: Answer): string => `${status} ${body?.error_code ?? JSON.stringify(body)}`;

/** Repeats the call from one address until it is refused. */
async function flood(operation: Operation, call: Call): Promise<Answer> {
  const headers = { ...call.headers, 'x-forwarded-for': `192.0.2.${1 + Math.floor(Math.random() * 250)}` };
  for (let tries = 0; ; tries += 1) {
    const answer = await send(world, operation, { ...call, headers }, usualApi(world, operation, call));
    if (answer.status === 429) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    if (answer.status === 429 || tries === TRIES) return answer;
  }
}
