import fc from 'fast-check';
import type { Operation } from '../../test/documented-api.js';
import { type Generated, type GeneratedRequest, generatedRequest } from '../../test/generated-requests.js';
import { ROUTES } from '../../test/routes/index.js';
import type { Call } from '../../test/routes/route.js';
import { goodCall, routeOf, send, usualApi } from '../../test/routes/send.js';
import { makeWorld, type World } from '../../test/world.js';

jest.setTimeout(120_000);

const REQUESTS = 10_000;
/** Sent at the same moment, all made of one good call. */
const AT_ONCE = 10;
const ROUNDS = Math.ceil(REQUESTS / AT_ONCE / Object.keys(ROUTES).length);
/** A failure says its seed: with it in this variable, and the same routes, the same requests are sent. */
const SEED = Number(process.env.TRAWL_TEST_SEED ?? Date.now() % 2 ** 31);

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
      const requests = fc.array(generatedRequest(world.documented, operation), {
        minLength: AT_ONCE,
        maxLength: AT_ONCE,
      });
      await fc.assert(
        fc.asyncProperty(requests, async round => {
          const good = await goodCall(world, operation);
          const problems = await Promise.all(
            round.map(request => problemOf(operation, callOf(request, operation, good))),
          );
          expect(problems.filter(problem => problem !== null)).toEqual([]);
        }),
        // What is there after a request is not what was before: a smaller one would not show the same.
        { seed: SEED, numRuns: ROUNDS, endOnFailure: true },
      );
    },
  );

  it('was asked often enough', () => {
    expect(sent).toBeGreaterThanOrEqual(REQUESTS);
  });
});

async function problemOf(operation: Operation, call: Call): Promise<string | null> {
  sent += 1;
  const told = (problem: string) => `${problem}. Its body: ${JSON.stringify(call.body)?.slice(0, 2_000)}`;
  try {
    const { status, body } = await send(world, operation, call, usualApi(world, operation, call));
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
