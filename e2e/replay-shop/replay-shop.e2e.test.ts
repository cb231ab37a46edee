import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Child } from '../harness/child.js';
import { sharedPlatform } from '../harness/shared-platform.js';

const platform = sharedPlatform();
const SKRIPTS = 'examples/skripts';
const SECRET = { username: 'first-mate', password: 'fair-winds' };
const START = '/joint-api/execute-skript/single-worker/start?record=true';

/**
 * Runs a sample skript, and pushes what it writes to MongoDB as rows too: a replay makes no other writes, and its rows are
 * compared with those of the recorded run.
 */
const MAIN = `const { dataset, mongo } = require('@trawl/storage');
const skript = require('./sample');
const open = mongo.collection.bind(mongo);
mongo.collection = name => {
  const collection = open(name);
  const { replaceOne, insertMany } = collection;
  const push = documents => dataset.push(documents.map(({ scraped_at, ...row }) => row));
  collection.replaceOne = async (filter, row, ...rest) => {
    await push([row]);
    return replaceOne.call(collection, filter, row, ...rest);
  };
  collection.insertMany = async (rows, ...rest) => {
    await push(rows);
    return insertMany.call(collection, rows, ...rest);
  };
  return collection;
};
module.exports = skript;
`;

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
  const files = sources.map(file => {
    const path = file === 'main.js' ? 'sample.js' : file;
    return [path, readFileSync(join(SKRIPTS, name, file), 'utf8')] as const;
  });
  const { environment = 'nodejs' } = JSON.parse(readFileSync(join(SKRIPTS, name, 'manifest.json'), 'utf8'));
  return platform.skript(name, { 'main.js': MAIN, ...Object.fromEntries(files) }, { environment });
}

async function rowsOf(id: string): Promise<string[]> {
  const developer = await platform.as('developer');
  const { body } = await developer('GET', `/joint-api/skript-execution/${id}/rows?limit=1000`);
  return body.items.map(({ _id, _run, _at, ...row }: Record<string, unknown>) => JSON.stringify(row)).sort();
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

  const inserted: string[] = [];
  for (const { name, id } of recorded) {
    const { body } = await developer('POST', `/joint-api/skript-execution/${id}/replay`, {
      worker_id: platform.workerId,
      inputSecret: SECRET,
    });
    expect({ name, error: body.error_stack }).toEqual({ name, error: null });
    const rows = await rowsOf(id);
    expect(rows.length).toBeGreaterThan(0);
    expect({ name, rows: await rowsOf(body.id) }).toEqual({ name, rows });
    const comparison = `/joint-api/skript-execution/${body.id}/comparison/${id}`;
    for (const target of (await developer('GET', comparison)).body.targets) {
      const { body: compared } = await developer('GET', `${comparison}?target=${target}`);
      expect({ name, target, compared }).toMatchObject({ compared: { added: 0, gone: 0, was: { complete: true } } });
      inserted.push(target);
    }
  }
  // Two of the samples use insertMany.
  expect(inserted.filter(target => target.startsWith('mongodb:'))).toHaveLength(2);
});
