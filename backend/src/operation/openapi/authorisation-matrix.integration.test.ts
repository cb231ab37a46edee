import type { Operation } from '../../../test/documented-api.js';
import { upload } from '../../../test/routes/imports.js';
import { ROUTES, ROUTES_BY_NOUN } from '../../../test/routes/index.js';
import { type Access, CALLERS, type Call, type Caller, type Routes, type Scope } from '../../../test/routes/route.js';
import { goodCall, routeOf, scopeOf, send, usualApi } from '../../../test/routes/send.js';
import type { Api } from '../../../test/test-app.js';
import { makeWorld, unique, type World } from '../../../test/world.js';
import { AuditLog } from '../../platform/audit/audit-log.service.js';

/** In this table, `ok` stands for the status of the route's successful response. */
const ok = 'ok';

/**
 * The expected status for each caller, by the route's access and scope. `read`, `run` and `all` are the scopes that an
 * API key needs; routes with `session` refuse every key. The keys belong to the owner. `own` routes respond to every
 * user with the user's own data. Exceptions are in the rows of backend/test/routes/.
 */
// biome-ignore format: a table
const ACCESS: Record<Access, Partial<Record<Scope, (number | typeof ok)[]>>> = {
  //          no token  bad  expired  revoked key  read key  run key  other  owner  admin
  public: {
    read:    [   ok,    ok,    ok,        ok,         ok,      ok,     ok,    ok,    ok  ],
    all:     [   ok,    ok,    ok,        ok,         ok,      ok,     ok,    ok,    ok  ],
  },
  own: {
    read:    [  401,   401,   401,       401,         ok,      ok,     ok,    ok,    ok  ],
    all:     [  401,   401,   401,       401,        403,     403,     ok,    ok,    ok  ],
    session: [  401,   401,   401,       401,        403,     403,     ok,    ok,    ok  ],
  },
  owned: {
    read:    [  401,   401,   401,       401,         ok,      ok,    404,    ok,   404  ],
    run:     [  401,   401,   401,       401,        403,      ok,    404,    ok,   404  ],
    all:     [  401,   401,   401,       401,        403,     403,    404,    ok,   404  ],
    session: [  401,   401,   401,       401,        403,     403,    404,    ok,   404  ],
  },
  admin: {
    read:    [  401,   401,   401,       401,        403,     403,    403,   403,    ok  ],
    all:     [  401,   401,   401,       401,        403,     403,    403,   403,    ok  ],
    session: [  401,   401,   401,       401,        403,     403,    403,   403,    ok  ],
  },
};

/** Operations that delete what has no name, or has its name as its id. */
const NAMELESS = ['deleteSession', 'resetPoliteDomain', 'deleteExport', 'endMaintenance'];

let world: World;
let tokens: Record<Caller, () => Promise<string | null>>;

beforeAll(async () => {
  world = await makeWorld();
  const { owner, other, admin } = world;
  const [readKey, runKey, revoked] = await Promise.all([
    owner.makeKey('read'),
    owner.makeKey('run'),
    owner.makeKey('all'),
  ]);
  await owner.api('DELETE', `/joint-api/keys/${revoked.id}`);
  tokens = {
    noToken: async () => null,
    badToken: async () => 'trk_forged',
    expiredToken: () => world.expiredToken(owner),
    revokedKey: async () => revoked.key,
    readKey: async () => readKey.key,
    runKey: async () => runKey.key,
    other: () => other.token(),
    owner: () => owner.token(),
    admin: () => admin.token(),
  };
});
afterAll(() => world?.close());

describe('the table of routes', () => {
  it('has exactly one row for each route of openapi.yaml', () => {
    const documented = world.documented.operations.map(({ id }) => id);
    expect({
      'add to the file of its noun in backend/test/routes/': documented.filter(id => !ROUTES[id]),
      'no longer in openapi.yaml': Object.keys(ROUTES).filter(id => !documented.includes(id)),
    }).toEqual({ 'add to the file of its noun in backend/test/routes/': [], 'no longer in openapi.yaml': [] });
  });
});

/** Callers with whom `npm test` calls each route that refuses them. */
const ALWAYS_TRIED: readonly Caller[] = ['noToken', 'other'];

/** Returns one of the callers, which depends on the seed and the route; in the full test, all of them. */
function someOf(callers: readonly Caller[], route: number): readonly Caller[] {
  const chosen = (route + testSeed) % callers.length;
  return isFullTest ? callers : callers.slice(chosen, chosen + 1);
}

function refusedCallers(operation: Operation, route: number): Caller[] {
  const refused = CALLERS.filter(caller => isRefused(operation, caller));
  const isAlways = (caller: Caller) => ALWAYS_TRIED.includes(caller);
  return [
    ...refused.filter(isAlways),
    ...someOf(
      refused.filter(caller => !isAlways(caller)),
      route,
    ),
  ];
}

const { maintenance, ...beforeMaintenance } = ROUTES_BY_NOUN;
/** Nouns share a test, because it reads all databases. The full test shows for which noun a refused call changed something. */
const GROUPS: Record<string, Routes> = isFullTest
  ? ROUTES_BY_NOUN
  : { 'all nouns': Object.assign({}, ...Object.values(beforeMaintenance)), maintenance: maintenance as Routes };

describe.each(Object.entries(GROUPS))('the routes of %s', (_noun, routes) => {
  const ids = Object.keys(routes);

  // The routes share a test, because the state of all databases takes longer to read than their calls.
  it('refuse each caller that their row of the table does not allow, and change nothing', async () => {
    const apis = await apisOf(CALLERS);
    const calls: [Operation, Caller, Call][] = [];
    for (const [index, operation] of ids.map(operationOf).entries()) {
      const callers = refusedCallers(operation, index);
      if (callers.length === 0) continue;
      const call = await goodCall(world, operation);
      calls.push(...callers.map((caller): [Operation, Caller, Call] => [operation, caller, call]));
    }
    if (calls.length === 0) return;
    const before = await world.state();
    const answered: [id: string, Caller, number][] = [];
    for (const [operation, caller, call] of calls)
      answered.push([operation.id, caller, await statusFor(caller, operation, call, apis[caller])]);
    expect(answered).toEqual(calls.map(([one, caller]) => [one.id, caller, expectedOf(one)[caller]]));
    const after = await world.state();
    expect({ ids, changed: changesOf(before, after) }).toEqual({ ids, changed: [] });
  });

  it.each(ids)('%s admits a caller that its row of the table allows', async id => {
    const operation = operationOf(id);
    const callers = CALLERS.filter(caller => !isRefused(operation, caller));
    const admitted = someOf(callers, ids.indexOf(id));
    const answered: [Caller, number][] = [];
    for (const caller of admitted) {
      const call = await goodCall(world, operation);
      // A new session for each call, because some calls end it.
      const apis = await apisOf([caller]);
      answered.push([caller, await statusFor(caller, operation, call, apis[caller])]);
    }
    const expected = expectedOf(operation);
    expect(answered).toEqual(admitted.map(caller => [caller, expected[caller]]));
  });
});

it('the comparison of states before and after refused calls notices new rows and new documents', async () => {
  const before = await world.state();
  await world.owner.makeDocument();
  await world.owner.created('/joint-api/skripts/addnew', { title: unique() });
  const changed = changesOf(before, await world.state());
  expect(changed).toEqual(['skripts', expect.stringMatching(`^u_.*\\.${world.owner.things.collection}$`)]);
});

it('a call whose body names a resource of another account gets 404, and changes nothing', async () => {
  const { owner, other } = world;
  const { db_id, collection, skriptExecution_id: execution_id, skript_id, table } = owner.things;
  const sources: object[] = [
    { source: 'collection', db_id, collection },
    { source: 'table', table },
  ];
  const calls: [path: string, body: object][] = [
    [`/joint-api/imports/${await upload(other)}/start`, { db_id, collection }],
    ...[...sources, { source: 'run', execution_id }].map((body): [string, object] => [
      '/joint-api/exports/addnew',
      body,
    ]),
    ...[...sources, { source: 'run', skript_id }].map((body): [string, object] => [
      '/joint-api/exporters/addnew',
      { ...body, name: unique() },
    ]),
  ];
  const before = await world.state();
  for (const [path, body] of calls) {
    const { status } = await other.api('POST', path, body);
    expect([path, body, status]).toEqual([path, body, 404]);
  }
  expect(await world.state()).toEqual(before);
});

it('the audit log keeps the names of deleted resources', async () => {
  const deletions = world.documented.operations.filter(({ method }) => method === 'DELETE');
  for (const operation of deletions) {
    const call = await goodCall(world, operation);
    await send(world, operation, call, usualApi(world, operation, call));
  }
  await world.app.part(AuditLog).flush();
  const { body } = await world.admin.api('GET', '/joint-api/audit/list?limit=1000');
  const named = new Set(body.items.filter(({ target }: any) => target?.name).map(({ action }: any) => action));
  const nameless = deletions.map(({ id }) => id).filter(id => !named.has(id));
  expect(nameless).toEqual(NAMELESS);
});

function expectedOf(operation: Operation): Record<Caller, number> {
  const { access, expect: differing } = routeOf(operation);
  const scope = scopeOf(operation);
  const row = ACCESS[access][scope];
  if (!row) throw new Error(`ACCESS has no row for ${access} ${scope}, which ${operation.id} wants.`);
  const good = operation.goodStatuses[0] as number;
  const usual = CALLERS.map(caller => [caller, row[CALLERS.indexOf(caller)]] as const);
  return {
    ...Object.fromEntries(usual.map(([caller, status]) => [caller, status === ok ? good : status])),
    ...differing,
  } as Record<Caller, number>;
}

function operationOf(id: string): Operation {
  const operation = world.documented.operations.find(one => one.id === id);
  if (!operation) throw new Error(`${id} is not in openapi.yaml: remove its row from backend/test/routes/.`);
  return operation;
}

const isRefused = (operation: Operation, caller: Caller): boolean => expectedOf(operation)[caller] >= 400;

/** Names the tables and collections that differ. */
const changesOf = (before: Record<string, string>, after: Record<string, string>): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(name => before[name] !== after[name]);

/** Opens a session for each of these callers who has an account. */
async function apisOf(callers: readonly Caller[]): Promise<Record<Caller, Api>> {
  const apis: [Caller, Api][] = [];
  for (const caller of callers) {
    const token = await tokens[caller]();
    apis.push([caller, world.documented.checked(token === null ? world.app.anonymous : world.app.bearer(token))]);
  }
  return Object.fromEntries(apis) as Record<Caller, Api>;
}

/**
 * Makes a call and returns the status. Checks that the response is as documented and shows the owner's resources only
 * to the owner.
 */
async function statusFor(caller: Caller, operation: Operation, call: Call, api: Api): Promise<number> {
  const { status, body } = await send(world, operation, call, api);
  const mayKnow = caller === 'owner' || caller.endsWith('Key') || routeOf(operation).access === 'admin';
  if (!mayKnow) expect(JSON.stringify(body)).not.toContain(world.owner.marker);
  return status;
}
