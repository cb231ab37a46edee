import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Child } from '../harness/child.js';
import { sharedPlatform } from '../harness/shared-platform.js';

const platform = sharedPlatform();
const SKRIPTS = 'examples/skripts';
const SECRET = { username: 'first-mate', password: 'fair-winds' };
const START = '/joint-api/execute-skript/single-worker/start?record=true';

let shop: string;
let site: Child;

beforeAll(async () => {
  const port = await platform.reservedPort();
  shop = `http://127.0.0.1:${port}`;
  site = new Child('examples/dist/practice-site/main.js', { PORT: String(port) });
  await site.start(async () => (await fetch(shop)).ok);
});
afterAll(() => site?.kill('SIGTERM'));

const names = readdirSync(SKRIPTS, { withFileTypes: true })
  .filter(entry => entry.isDirectory() && entry.name !== 'hello')
  .map(({ name }) => name);

async function upload(name: string): Promise<string> {
  const sources = (readdirSync(join(SKRIPTS, name), { recursive: true }) as string[]).filter(file =>
    file.endsWith('.js'),
  );
  const files = sources.map(file => [file, readFileSync(join(SKRIPTS, name, file), 'utf8')] as const);
  const { environment = 'nodejs' } = JSON.parse(readFileSync(join(SKRIPTS, name, 'manifest.json'), 'utf8'));
  return platform.skript(name, Object.fromEntries(files), { environment });
}

it('replays of the sample skripts give the same rows with the practice shop stopped', async () => {
  expect(names).toHaveLength(5);
  const developer = await platform.as('developer');
  const recorded = [];
  for (const name of names) {
    const { body } = await developer('POST', START, {
      worker_id: platform.workerId,
      skript_id: await upload(name),
      input: { base_url: shop, category: 'navigation', max_pages: 3 },
      inputSecret: SECRET,
    });
    expect({ name, error: body.error_stack, problem: body.record?.problem }).toEqual({
      name,
      error: null,
      problem: null,
    });
    recorded.push({ name, id: body.id });
  }
  await site.kill('SIGTERM');
  await expect(fetch(shop)).rejects.toThrow();

  const compared: string[] = [];
  for (const { name, id } of recorded) {
    const { body } = await developer('POST', `/joint-api/skript-execution/${id}/replay`, {
      worker_id: platform.workerId,
      inputSecret: SECRET,
    });
    expect({ name, error: body.error_stack }).toEqual({ name, error: null });
    const comparison = `/joint-api/skript-execution/${body.id}/comparison/${id}`;
    for (const target of (await developer('GET', comparison)).body.targets) {
      const { was, now, equal, items } = (await developer('GET', `${comparison}?target=${target}`)).body;
      expect(was.compared).toBeGreaterThan(0);
      const whole = { compared: equal, complete: true };
      expect({ name, target, was, now, items }).toEqual({ name, target, was: whole, now: whole, items: [] });
      compared.push(target);
    }
  }
  expect(compared.sort()).toEqual([
    'mongodb:arrivals',
    'mongodb:member_prices',
    'mongodb:product_details',
    'mongodb:products',
    'mongodb:reviews',
    'mongodb:shown_arrivals',
  ]);
});
