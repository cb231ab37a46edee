import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { deserialize, serialize } from 'bson';
import recorded from '../content/sample-run.json';

const PRACTICE_SITE = join(__dirname, '../../examples/dist/practice-site/main.js');
const STORAGE_PORT = Symbol.for('trawl.storage');

let site: ChildProcess;
let siteUrl: string;

beforeAll(async () => {
  site = spawn(process.execPath, [PRACTICE_SITE], {
    env: { HOST: '127.0.0.1', PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(site.stdout as NodeJS.ReadableStream, 'data');
  siteUrl = /http:\S+/.exec(String(line))?.[0] ?? '';
});

afterAll(async () => {
  site.kill();
  await once(site, 'exit');
});

test('the skript on the home page and in the tutorial gives the echoes, rows and output shown beside it', async () => {
  const rows = new Map<string, object>();
  const echoes: { type: string; msg: string }[] = [];
  Object.assign(globalThis, {
    trawl: { eventEmitter: new EventEmitter().on('echo', echo => echoes.push(echo)) },
    [STORAGE_PORT]: async ({ collection, method, args }: { collection: string; method: string; args: Uint8Array }) => {
      expect([collection, method]).toEqual(['sea_stories', 'replaceOne']);
      const { filter, replacement, upsert } = deserialize(args);
      expect(upsert).toBe(true);
      rows.set(filter.sku, { ...replacement, echo: echoes.length });
      return { result: serialize({ matched_count: 0, modified_count: 0, upserted_count: 1, upserted_id: null }) };
    },
  });
  try {
    const seaStories = require('./sea-stories/main.js');
    const output = await seaStories({ base_url: siteUrl });

    expect(output).toEqual(recorded.output);
    expect(rows.size).toBe(recorded.output.stored);
    expect(echoes.map(({ type, msg }) => ({ type, msg }))).toEqual(
      recorded.echoes.map(({ type, msg }) => ({ type, msg })),
    );
    for (const row of recorded.rows) expect(rows.get(row.sku)).toMatchObject(row);
  } finally {
    Reflect.deleteProperty(globalThis, 'trawl');
    Reflect.deleteProperty(globalThis, STORAGE_PORT);
  }
});
