import fc from 'fast-check';
import type { Operation } from '../../test/documented-api.js';
import { type Generated, type GeneratedRequest, generatedRequest, nearRequest } from '../../test/generated-requests.js';
import { ROUTES } from '../../test/routes/index.js';
import type { Call } from '../../test/routes/route.js';
import { goodCall, routeOf, send, usualApi } from '../../test/routes/send.js';
import { makeWorld, type World } from '../../test/world.js';

jest.setTimeout(120_000);

const REQUESTS = 10_000;
/** Sent at the same moment. */
const AT_ONCE = 10;
/** Of each kind of request. */
const ROUNDS = 7;
const FEW_ROUNDS = 1;
/** They, or what they need, take an e-mail, a password's hash, a bundle or an archive: more seconds than all the others. */
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
  'compareVersions',
  'getVersion',
  'restoreVersion',
];
/** A failure says its seed; the same seed and the same routes send the same requests. */
const USUAL_SEED = 20_260_215;
const SEED = seedOf(process.env.TRAWL_TEST_SEED);

/** Of what is sent to a route so much has to succeed: what is refused at the door shows nothing of the room behind. */
const LEAST_GOOD = 0.1;
const SELDOM_GOOD: Record<string, string> = {
  changePassword: 'ten wrong passwords, and the account has to wait',
};

let world: World;
let sent = 0;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world?.close());

describe('whatever is asked', () => {
  it.each(Object.keys(ROUTES))(
    `%s answers as documented, never 5xx, and tells nothing of others (seed ${SEED})`,
    async id => {
      const operation = world.documented.operations.find(one => one.id === id);
      if (!operation) throw new Error(`${id} is not in openapi.yaml: remove its row from backend/test/routes/.`);
      const statuses: number[] = [];
      for (const kind of [nearRequest, generatedRequest]) {
        const requests = fc.array(kind(world.documented, operation), { minLength: AT_ONCE, maxLength: AT_ONCE });
        await fc.assert(
          fc.asyncProperty(requests, async round => {
            const calls: Call[] = [];
            for (const request of round) calls.push(callOf(request, operation, await goodCall(world, operation)));
            const problems = await Promise.all(calls.map(call => problemOf(operation, call, statuses)));
            expect(problems.filter(problem => problem !== null)).toEqual([]);
          }),
          // What is there after a request is not what was before: a smaller one would not show the same.
          { seed: SEED, numRuns: COSTLY.includes(id) ? FEW_ROUNDS : ROUNDS, endOnFailure: true },
        );
      }
      sent += statuses.length;
      const good = statuses.filter(status => status < 400).length / statuses.length;
      if (!SELDOM_GOOD[id]) expect(good).toBeGreaterThanOrEqual(LEAST_GOOD);
    },
  );

  it('was asked often enough', () => {
    expect(sent).toBeGreaterThanOrEqual(REQUESTS);
  });
});

function seedOf(wanted: string | undefined): number {
  if (wanted === undefined) return USUAL_SEED;
  return wanted === 'random' ? Date.now() % 2 ** 31 : Number(wanted);
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
  // An administrator would be let do it, and what the other tests look for would be gone.
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
