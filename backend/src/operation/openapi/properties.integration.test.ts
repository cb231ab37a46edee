import fc from 'fast-check';
import { sampleOf } from '../../../../scripts/jest/sample.js';
import type { Operation } from '../../../test/documented-api.js';
import {
  type Generated,
  type GeneratedRequest,
  generatedRequest,
  nearRequest,
} from '../../../test/generated-requests.js';
import { ROUTES } from '../../../test/routes/index.js';
import type { Call } from '../../../test/routes/route.js';
import { goodCall, routeOf, send, usualApi } from '../../../test/routes/send.js';
import { makeWorld, type World } from '../../../test/world.js';

const REQUESTS = isFullTest ? 10_000 : 250;
/** Number of concurrent requests. */
const AT_ONCE = isFullTest ? 10 : 3;
/** Number of requests of each kind. */
const ROUNDS = isFullTest ? 7 : 1;
const FEW_ROUNDS = 1;
/**
 * Routes whose calls take long, because they or their preparation need an e-mail, the hash of a password, a bundle or
 * an archive. They get fewer requests.
 */
const COSTLY = [
  'login',
  'changePassword',
  'readPasswordLink',
  'setPassword',
  'createUser',
  'updateUser',
  'deleteUser',
  'bundleSkript',
  'purgeSkripts',
  'downloadSkript',
  'downloadAccountArchive',
  'createDemoAccount',
  'compareVersions',
  'getVersion',
  'restoreVersion',
];

/** Minimum share of successful requests per route: refused requests do not test the code behind validation. */
const LEAST_GOOD = 0.1;
const SELDOM_GOOD: Record<string, string> = {
  changePassword: 'ten wrong passwords, and the account has to wait',
  deleteAccount: 'the account is needed for other calls',
  downloadAccountArchive: 'one archive at a time',
};

let world: World;
let sent = 0;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world?.close());

describe('any request', () => {
  it.each(sampleOf(Object.keys(ROUTES), { oneIn: 4, offset: 1 }))(
    `%s responds as documented, never with 5xx, and reveals nothing of other users (seed ${testSeed})`,
    async id => {
      const operation = world.documented.operations.find(one => one.id === id);
      if (!operation) throw new Error(`${id} is not in openapi.yaml: remove its row from backend/test/routes/.`);
      const statuses: number[] = [];
      for (const kind of [nearRequest, generatedRequest]) {
        const requests = fc.array(kind(world.documented, operation), { minLength: AT_ONCE, maxLength: AT_ONCE });
        await fc.assert(
          fc.asyncProperty(requests, async round => {
            const calls: Call[] = [];
            await removeLimited();
            for (const request of round) calls.push(callOf(request, operation, await goodCall(world, operation)));
            const problems = await Promise.all(calls.map(call => problemOf(operation, call, statuses)));
            expect(problems.filter(problem => problem !== null)).toEqual([]);
          }),
          // Stop at the first failure. fast-check could not find a smaller failing request, because each request
          // changes the database.
          { seed: testSeed, numRuns: COSTLY.includes(id) ? FEW_ROUNDS : ROUNDS, endOnFailure: true },
        );
      }
      sent += statuses.length;
      const good = statuses.filter(status => status < 400).length / statuses.length;
      // Only the full test makes enough requests to check the share of successful ones.
      if (isFullTest && !SELDOM_GOOD[id]) expect(good).toBeGreaterThanOrEqual(LEAST_GOOD);
    },
  );

  it('was sent at least as often as the test requires', () => {
    expect(sent).toBeGreaterThanOrEqual(REQUESTS);
  });
});

/** Removes what an account may have only a few of, and what the calls of earlier rounds have left. */
async function removeLimited(): Promise<void> {
  const { id, things } = world.owner;
  for (const [table, kept] of [
    ['exporters', things.exporter_id],
    ['imports', things.import_id],
  ])
    await world.app.sql(`DELETE FROM ${table} WHERE owner_id = $1 AND id <> $2`, [id, kept]);
}

async function problemOf(operation: Operation, call: Call, statuses: number[]): Promise<string | null> {
  const told = (problem: string) => `${problem}. Its body: ${JSON.stringify(call.body)?.slice(0, 2_000)}`;
  try {
    const { status, body } = await send(world, operation, call, usualApi(world, operation, call));
    statuses.push(status);
    if (status >= 500)
      return told(`${JSON.stringify(call.path)} ${JSON.stringify(call.query)}: ${JSON.stringify(body)}`);
    const tells = routeOf(operation).access !== 'admin' && JSON.stringify(body).includes(world.other.marker);
    return tells ? told(`${JSON.stringify(call.path)} ${JSON.stringify(call.query)} tells of somebody else`) : null;
  } catch (error) {
    return told((error as Error).message);
  }
}

function callOf({ path, query, body }: GeneratedRequest, operation: Operation, good: Call): Call {
  const { owner, other } = world;
  // Do not use resources of the other user in calls of an administrator: they would succeed and delete what other tests
  // need.
  const mayBeTried = routeOf(operation).access !== 'admin';
  const meant = (name: string, usual: unknown, generated: Generated) =>
    'value' in generated
      ? generated.value
      : generated.ref === 'other' && mayBeTried
        ? (other.things[name] ?? usual)
        : usual;
  const withValues = (usual: object | undefined, made: Record<string, Generated>) => {
    const entries = Object.entries(made).map(([name, generated]) => {
      const of = meant(name, (usual as Record<string, unknown>)?.[name] ?? owner.things[name], generated);
      return [name, of] as const;
    });
    return { ...usual, ...Object.fromEntries(entries.filter(([, of]) => of !== undefined)) };
  };
  const call: Call = {
    ...good,
    path: Object.fromEntries(
      Object.entries(withValues(good.path, path)).map(([name, of]) => [
        name,
        String(of).replaceAll(/\p{Surrogate}/gu, '\ufffd'),
      ]),
    ),
    query: withValues(good.query, query),
  };
  if (body === 'usual') return call;
  const isZip = Buffer.isBuffer(good.body);
  if ('text' in body) return { ...call, body: isZip ? Buffer.from(body.text) : body.text };
  if ('json' in body)
    return { ...call, body: isZip ? Buffer.from(JSON.stringify(body.json)) : JSON.stringify(body.json) };
  return { ...call, body: withValues(good.body as object, body.fields) };
}
