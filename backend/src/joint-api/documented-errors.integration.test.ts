import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { API_ERRORS, type ApiErrorCode, QUOTA_NAMES } from '@trawl/contracts';
import type { Operation } from '../../test/documented-api.js';
import { ROUTES } from '../../test/routes/index.js';
import type { Call } from '../../test/routes/route.js';
import { goodCall, routeOf, scopeOf, send, usualApi } from '../../test/routes/send.js';
import type { Answer, Api } from '../../test/test-app.js';
import { Way } from '../../test/way.js';
import { makeWorld, type World } from '../../test/world.js';

jest.setTimeout(120_000);

/** More than any rate limit lets through. */
const TRIES = 300;
const LARGE_TEXT = `"${'x'.repeat(9 * 1024 * 1024)}"`;

/** Take an Idempotency-Key, and make nothing that there is a quota for, or answer each one's refusal within. */
const LIMITED_BY_KEYS_ONLY = [
  'createSkriptFile',
  'createUser',
  'createWorker',
  'createWorkerAssignment',
  'startSkriptOnWorkers',
  'triggerSchedule',
  'updateMongoDocuments',
];

/** What no call can bring about, and where it is tested instead. */
function testedElsewhere(code: ApiErrorCode, operation: Operation): string | undefined {
  const { id, method } = operation;
  if (code === 'internal_error') return 'nothing may bring it about: properties.integration.test.ts tries';
  if (code === 'storage_unavailable') return 'below, with MongoDB out of reach';
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
  if (code === 'too_many_requests' && operation.path.startsWith('/joint-api/mongo')) {
    return 'mongo-turns.integration.test.ts: more calls at once than may wait';
  }
  if (!hasRow && code === 'conflict' && takesKey(operation)) return 'idempotency.integration.test.ts';
  return undefined;
}

/**
 * How an error comes about that every route has alike: a change of the good call, or null where that is of no use.
 * What a row of backend/test/routes/ says goes first.
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
      const field = (fields: unknown) =>
        Object.entries((fields ?? {}) as object).find(
          ([, value]) => isUuid(value) && value !== world.idleWorker.id,
        )?.[0];
      const [inBody, inQuery] = [field(good.body), field(good.query)];
      if (inBody) return { ...good, body: { ...(good.body as object), [inBody]: randomUUID() } };
      return inQuery ? { ...good, query: { ...good.query, [inQuery]: randomUUID() } } : null;
    },
    idempotency_key_reused: async (operation, good) => {
      const headers = { ...good.headers, 'idempotency-key': randomUUID() };
      await send(world, operation, { ...good, headers }, usualApi(world, operation, good));
      return { ...good, headers, body: { ...(good.body as object), colour: 'red' } };
    },
    // Of everything there is a quota for, the other user has one already.
    quota_exceeded: async (_, good) => {
      const onlyOne = Object.fromEntries(QUOTA_NAMES.map(name => [name, 1]));
      await world.app.sql('UPDATE users SET quotas = $1 WHERE id = $2', [onlyOne, world.other.id]);
      return { ...asOther(good), as: 'other' };
    },
  };

const takesKey = ({ parameters }: Operation): boolean => parameters.some(({ name }) => name === 'Idempotency-Key');

const isUuid = (value: unknown): boolean => typeof value === 'string' && /^[0-9a-f]{8}-[0-9a-f]{4}-/.test(value);

/** The name of the first path parameter that is an id of ours. */
const idParameter = ({ parameters }: Operation, good: Call): string | undefined =>
  parameters.find(({ in: place, name }) => place === 'path' && isUuid(good.path?.[name] ?? world.owner.things[name]))
    ?.name;

/** The call for the other user's things of the same kind. */
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

describe('every error that openapi.yaml names', () => {
  it.each(Object.keys(ROUTES))('comes about: of %s', async id => {
    const operation = operationOf(id);
    const wanted = operation.errors.filter(code => !testedElsewhere(code, operation));
    const answered: Record<string, unknown> = {};
    for (const code of wanted) answered[code] = await produce(code, operation);
    expect(answered).toEqual(Object.fromEntries(wanted.map(code => [code, `${API_ERRORS[code]} ${code}`])));
  });

  it('has its row in the table where it is no longer, or never was, general', () => {
    const undocumented = Object.entries(ROUTES).flatMap(([id, { errors = {} }]) =>
      Object.keys(errors).flatMap(code =>
        operationOf(id).errors.includes(code as ApiErrorCode) ? [] : [`${id} ${code}`],
      ),
    );
    expect(undocumented).toEqual([]);
  });
});

describe('a GET with a body that is not JSON', () => {
  it('is refused by its type, where that is documented', async () => {
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

describe('with a database out of reach', () => {
  it.each([
    ['PostgreSQL', 'service_unavailable'],
    ['MongoDB', 'storage_unavailable'],
  ] as const)('%s: the routes that need it say so', async (database, code) => {
    const { app, documented } = world;
    const needing = documented.operations.filter(({ errors }) => errors.includes(code));
    const calls: Call[] = [];
    for (const operation of needing) calls.push(await goodCall(world, operation));
    const setting = database === 'MongoDB' ? 'mongodbUri' : 'postgresUrl';
    const usual = app.config[setting];
    const way = await Way.to(new URL(usual));
    await app.stop();
    app.config[setting] = way.url;
    await app.start();
    const apis = needing.map(operation => usualApi(world, operation));
    await way.close();
    const answers = await Promise.all(
      needing.map((operation, index) => send(world, operation, calls[index] as Call, apis[index] as Api)),
    );
    await way.open();
    await app.stop();
    await way.close();
    app.config[setting] = usual;
    await app.start();
    expect(answers.map((answer, index) => [needing[index]?.id, said(answer)])).toEqual(
      needing.map(({ id }) => [id, `503 ${code}`]),
    );
  });
});

/** The error that was answered, or what is to be done so that it can be. */
async function produce(code: ApiErrorCode, operation: Operation): Promise<string> {
  const good = await goodCall(world, operation);
  const call = (await routeOf(operation).errors?.[code]?.(world)) ?? (await GENERIC[code]?.(operation, good));
  if (code === 'too_many_requests') return said(await flood(operation, call ?? good));
  if (!call) return `nothing produces it: add errors: { ${code}: … } to its row in backend/test/routes/`;
  return said(await send(world, operation, call, usualApi(world, operation, call)));
}

const said = ({ status, body }: Answer): string => `${status} ${body?.error_code ?? JSON.stringify(body)}`;

/** The same call from one address until it is refused. */
async function flood(operation: Operation, call: Call): Promise<Answer> {
  const headers = { ...call.headers, 'x-forwarded-for': `192.0.2.${1 + Math.floor(Math.random() * 250)}` };
  for (let tries = 0; ; tries += 1) {
    const answer = await send(world, operation, { ...call, headers }, usualApi(world, operation, call));
    if (answer.status === 429) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    if (answer.status === 429 || tries === TRIES) return answer;
  }
}
