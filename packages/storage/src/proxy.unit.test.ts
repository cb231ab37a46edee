import { proxy } from './proxy.js';

const CHOOSE = Symbol.for('trawl.chooseProxies');
const chosen: unknown[] = [];

beforeEach(() => {
  chosen.length = 0;
  (globalThis as Record<symbol, unknown>)[CHOOSE] = async (options: unknown) => chosen.push(options);
});
afterEach(() => {
  delete (globalThis as Record<symbol, unknown>)[CHOOSE];
});

it('gives the runner what the skript has chosen', async () => {
  await proxy({ pool: 'shops', country: 'de', tier: 2, session: 'cart' });
  await proxy({});
  await proxy(null);
  expect(chosen).toEqual([{ pool: 'shops', country: 'de', tier: 2, session: 'cart' }, {}, null]);
});

it.each([
  ['shops', 'give an object'],
  [['shops'], 'give an object'],
  [{ pool: 1 }, 'pool must be a text'],
  [{ pool: '' }, 'pool must be a text'],
  [{ session: 'x'.repeat(201) }, 'session must be a text of at most 200 characters'],
  [{ country: 'DE' }, 'country must be two lower-case letters'],
  [{ tier: 10 }, 'tier must be a number from 1 to 9'],
  [{ tier: '1' }, 'tier must be a number from 1 to 9'],
  [{ size: 3 }, 'there is no option "size", only pool, country, tier, session'],
  [JSON.parse('{"__proto__":1}'), 'there is no option "__proto__"'],
])('refuses %j', async (options, message) => {
  await expect(proxy(options as never)).rejects.toThrow(`proxy: ${message}`);
  expect(chosen).toEqual([]);
});

it('does nothing outside a run', async () => {
  delete (globalThis as Record<symbol, unknown>)[CHOOSE];
  await expect(proxy({ pool: 'shops' })).resolves.toBeUndefined();
});
