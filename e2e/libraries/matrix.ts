import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, extname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { runNodePath } from '../../worker/src/executor/run-nodes.js';
import { Child } from '../harness/child.js';
import { environment } from '../harness/hosted-trawl.js';
import { needed } from '../harness/needed.js';
import type { PlatformClient } from '../harness/platform-client.js';
import { freePort } from '../harness/ports.js';

/** A skript and the output of its run against the practice shop. */
export interface Example {
  files: Record<string, string>;
  output: unknown;
}

export const NODES = [22, 24] as const;

const RUN_MS = 240_000;
/** npm reads the lists of hundreds of packages and installs them, on a busy machine for minutes. */
const INSTALL_MS = 900_000;
/** Time in which an example ends on the platform and on this computer, with each version of Node. */
export const EVERYWHERE_MS = NODES.length * 2 * (INSTALL_MS + RUN_MS);
const PROGRAM = resolve('packages/cli/dist/trawl.js');
const MAIN = /^main\.[cm]?[jt]s$/;

/** Starts the practice shop for the tests of a file. */
export function shopForFile(port: () => Promise<number> = freePort): { readonly url: string } {
  const shop = { url: '' };
  let site: Child;
  beforeAll(async () => {
    const PORT = String(await port());
    shop.url = `http://127.0.0.1:${PORT}`;
    site = new Child('examples/dist/practice-site/main.js', { PORT });
    await site.start(async () => (await fetch(shop.url)).ok);
  });
  afterAll(() => site?.kill('SIGTERM'));
  return shop;
}

/** Adds a main.mjs that returns the version of Node with the output, and asks for this version in package.json. */
function withNode(files: Record<string, string>, node: number): Record<string, string> {
  const main = Object.keys(files).find(name => MAIN.test(name)) as string;
  const { [main]: code = '', ...others } = files;
  const example = `example${extname(main)}`;
  const parsed = JSON.parse(files['package.json'] ?? '{}');
  return {
    ...others,
    [example]: code,
    'main.mjs': `import example from './${example}';
export default async input => ({ node: parseInt(process.versions.node), output: await (example.default ?? example)(input) });`,
    'package.json': JSON.stringify({ ...parsed, engines: { node: String(node) } }),
  };
}

interface Outcome {
  node: number | null;
  output: unknown;
  error: string | null;
}

type Ended = { output: { node: number; output: unknown } | null; error_stack: string | null };

const outcomeOf = ({ output, error_stack: error }: Ended): Outcome => ({
  node: output?.node ?? null,
  output: output?.output ?? null,
  error,
});

/** Runs an example on the platform and on this computer, with each version of Node, and expects its output. */
export async function expectEverywhere(
  platform: PlatformClient,
  title: string,
  { files, output }: Example,
  base_url: string,
): Promise<void> {
  const expected = NODES.map(node => ({ node, output, error: null }));
  const onPlatform = [];
  const local = [];
  const folder = mkdtempSync(join(tmpdir(), 'trawl-libraries-'));
  try {
    for (const node of NODES) {
      const written = withNode(files, node);
      onPlatform.push(await runOnPlatform(platform, `${title} (${node})`, written, base_url));
      local.push(await runHere(folder, node, written, base_url));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  expect({ onPlatform, local }).toEqual({ onPlatform: expected, local: expected });
}

async function runOnPlatform(
  platform: PlatformClient,
  title: string,
  files: Record<string, string>,
  base_url: string,
): Promise<Outcome> {
  const id = await platform.skript(title.slice(0, 100), files, { worker_response_timeout: RUN_MS });
  const { body } = await platform.startRun(id, { base_url }, 1);
  if (body.id === undefined) return { node: null, output: null, error: body.error_message };
  return outcomeOf(await platform.ended(body.id, INSTALL_MS + RUN_MS));
}

/** A local run uses the Node that runs the command line. */
async function runHere(
  folder: string,
  node: (typeof NODES)[number],
  files: Record<string, string>,
  base_url: string,
): Promise<Outcome> {
  for (const [name, content] of Object.entries({ 'manifest.json': '{ "title": "Example" }', ...files })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  if (JSON.parse(files['package.json'] as string).dependencies) {
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--force'];
    await promisify(execFile)('npm', ['install', ...options], { cwd: folder, timeout: INSTALL_MS });
  }
  const env = environment({
    TRAWL_EGRESS_ALLOW: new URL(base_url).host,
    CHROME_PATH: needed('TRAWL_TEST_CHROMIUM'),
  });
  const { stdout, stderr } = await new Promise<{ stdout: string; stderr: string }>(done => {
    const args = [PROGRAM, 'start', '--json', '-i', '-'];
    const options = { cwd: folder, env, timeout: RUN_MS };
    const child = execFile(runNodePath(node) as string, args, options, (_, stdout, stderr) => done({ stdout, stderr }));
    child.stdin?.end(JSON.stringify({ base_url }));
  });
  return stdout === '' ? { node: null, output: null, error: stderr } : outcomeOf(JSON.parse(stdout));
}
