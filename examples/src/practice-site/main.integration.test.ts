import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';

let folder: string;
let program: string;
const started = new Set<ChildProcess>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trawl-practice-site-'));
  program = join(folder, 'main.cjs');
  const entry = join(__dirname, 'main.ts');
  await build({ entryPoints: [entry], bundle: true, platform: 'node', format: 'cjs', outfile: program });
});
afterEach(() => {
  for (const child of started) child.kill('SIGKILL');
  started.clear();
});
afterAll(() => rm(folder, { recursive: true }));

function start(settings: Record<string, string>): ChildProcess {
  const child = spawn(process.execPath, [program], { env: { ...settings }, stdio: 'pipe' });
  started.add(child);
  child.once('exit', () => started.delete(child));
  return child;
}

async function firstLine(stream: NodeJS.ReadableStream | null): Promise<string> {
  if (!stream) throw new Error('the process has no such pipe');
  const [line] = await once(createInterface({ input: stream }), 'line');
  return String(line);
}

async function urlOf(child: ChildProcess): Promise<string> {
  const line = await firstLine(child.stdout);
  expect(line).toMatch(/^practice site ready at http:\/\/127\.0\.0\.1:\d+$/);
  return line.slice(line.indexOf('http'));
}

test.each(['SIGTERM', 'SIGINT'] as const)('serves until %s and exits with 0', async signal => {
  const child = start({ PORT: '0' });
  expect((await fetch(await urlOf(child))).status).toBe(200);
  const exit = once(child, 'exit');
  child.kill(signal);
  expect(await exit).toEqual([0, null]);
});

test('stops when the pipe of its supervisor ends', async () => {
  const child = start({ PORT: '0', TRAWL_SUPERVISED: '1' });
  await urlOf(child);
  const exit = once(child, 'exit');
  child.stdin?.end();
  expect(await exit).toEqual([0, null]);
});

test('reports a used or invalid port in one line', async () => {
  const first = start({ PORT: '0' });
  const port = new URL(await urlOf(first)).port;
  const second = start({ PORT: port });
  const exit = once(second, 'exit');
  expect(await firstLine(second.stderr)).toMatch(new RegExp(`EADDRINUSE.*${port}.*set PORT to a free one`));
  expect(await exit).toEqual([1, null]);
  expect(await firstLine(start({ PORT: '70000' }).stderr)).toBe(
    'practice site: PORT must be a number from 0 to 65535; it is "70000"',
  );
});

test('shows the redesign with LAYOUT=2, and reports another layout in one line', async () => {
  const page = await (await fetch(await urlOf(start({ PORT: '0', LAYOUT: '2' })))).text();
  expect(page).toContain('<body class="v2">');
  expect(await firstLine(start({ PORT: '0', LAYOUT: '3' }).stderr)).toBe(
    'practice site: LAYOUT must be 1 or 2; it is "3"',
  );
});
