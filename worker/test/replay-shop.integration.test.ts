import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { LIMITS, type Offer } from '@trawl/contracts';
import { deserialize } from 'bson';
import { PlatformStandIn } from './platform-stand-in.js';
import { WITH_BROWSER, WorkerProcess } from './worker-process.js';

const EXAMPLES = join(__dirname, '..', '..', 'examples');
const SKRIPTS = ['shop-catalogue', 'details-and-reviews', 'members-only', 'behind-javascript', 'with-a-browser'];

const platform = new PlatformStandIn();
let worker: WorkerProcess;
let shop: ChildProcess;
let base_url: string;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

beforeAll(async () => {
  const port = await freePort();
  base_url = `http://127.0.0.1:${port}`;
  shop = spawn(process.execPath, [join(EXAMPLES, 'dist', 'practice-site', 'main.js')], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(shop.stdout as NodeJS.ReadableStream, 'data');
  await platform.open();
  worker = await WorkerProcess.create(platform.url);
  worker.start({ ...WITH_BROWSER, TRAWL_EGRESS_ALLOW: `127.0.0.1:${port}` });
  await platform.connected();
});

afterAll(async () => {
  shop?.kill();
  await worker?.remove();
  await platform.close();
});

/** Returns the files of a sample skript, by name. */
function filesOf(name: string): Record<string, string> {
  const folder = join(EXAMPLES, 'skripts', name);
  const names = readdirSync(folder, { recursive: true }) as string[];
  const sources = names.filter(file => file.endsWith('.js'));
  // The skripts name their modules without the ending.
  return Object.fromEntries(
    sources.flatMap(file => {
      const text = readFileSync(join(folder, file), 'utf8');
      return file === 'main.js' ? [[file, text]] : [[file.replace(/\.js$/, ''), text]];
    }),
  );
}

async function runOf(name: string, options: Partial<Offer>) {
  const secret = { username: 'first-mate', password: 'fair-winds' };
  const id = await platform.start(filesOf(name), {
    environment: name === 'with-a-browser' ? 'browser' : 'nodejs',
    input: JSON.stringify({ base_url, category: 'navigation' }),
    input_secret: JSON.stringify(secret),
    limits: { time_ms: 60_000, pause_ms: 60_000, output_bytes: LIMITS.outputBytes },
    ...options,
  });
  const { error_stack, output } = await platform.ended(id);
  expect(error_stack).toBeNull();
  return { id, output, writes: writesOf(id) };
}

/** Returns what a run has written, without the ids that it has made for documents. */
function writesOf(id: string): unknown[] {
  const calls = platform.storage
    .filter(frame => frame.id === id)
    .map(({ op }) => {
      const { docs, ...args } = deserialize(op.args, { promoteBuffers: true });
      return {
        collection: op.collection,
        method: op.method,
        ...args,
        docs: documents(docs).map(({ _id, ...doc }) => doc),
      };
    });
  // A replay has its own time.
  const withoutTime = (name: string, value: unknown) => (name === 'scraped_at' ? undefined : value);
  return calls.map(call => JSON.stringify(call, withoutTime)).sort();
}

function documents(bytes: Buffer | undefined): Record<string, unknown>[] {
  const found = [];
  for (let at = 0; bytes && at < bytes.length; at += bytes.readInt32LE(at)) {
    found.push(deserialize(bytes.subarray(at, at + bytes.readInt32LE(at))));
  }
  return found;
}

it('replays of the sample skripts write the same rows with the practice shop stopped', async () => {
  const recorded = new Map<string, Awaited<ReturnType<typeof runOf>>>();
  for (const name of SKRIPTS) recorded.set(name, await runOf(name, { record: true }));
  await platform.until(() => [...recorded.values()].every(({ id }) => platform.records.has(id)), 'the records');
  shop.kill();
  await once(shop, 'exit');
  for (const name of SKRIPTS) {
    const first = recorded.get(name) as Awaited<ReturnType<typeof runOf>>;
    expect(first.writes.length).toBeGreaterThan(0);
    const again = await runOf(name, { replay: { of: first.id, on_miss: 'fail' } });
    const different = again.writes.filter((write, at) => write !== first.writes[at]);
    expect({ name, different: different.slice(0, 3), count: again.writes.length, output: again.output }).toEqual({
      name,
      different: [],
      count: first.writes.length,
      output: first.output,
    });
  }
});
