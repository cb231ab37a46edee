import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Api, Platform } from '../harness/platform.js';

jest.setTimeout(180_000);

const PAGE = readFileSync('website/docs/joint-api/generated-clients.mdx', 'utf8');

let platform: Platform;
let developer: Api;
let key: string;

beforeAll(async () => {
  platform = await Platform.start();
  developer = await platform.as('developer');
  key = (await developer('POST', '/joint-api/keys/addnew', { name: 'generated clients', scope: 'all' })).body.key;
});
afterAll(() => platform?.close());

/** What a section of the page has a reader do. */
function section(name: string) {
  const text = PAGE.split(/^## /m).find(part => part.startsWith(`${name}\n`)) ?? '';
  const [install = '', generate = '', run = ''] = [...text.matchAll(/```bash\n(.*?)```/gs)].map(([, code]) => code);
  const [, program = ''] = /```ts .*file=(\S+)/.exec(text) ?? [];
  return { packages: [...install.matchAll(/(\S+)@(\d\S+)/g)].map(([, ...named]) => named), program, generate, run };
}

/** A folder as `npm install` of these packages would make it, with those that are installed here. */
function projectWith(packages: string[][]): string {
  const folder = mkdtempSync(join(tmpdir(), 'trawl-client-'));
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
  for (const [name = '', version] of packages) {
    const [here] = ['node_modules', 'panel/node_modules'].map(room => resolve(room, name)).filter(isVersion(version));
    if (!here) throw new Error(`The page says ${name}@${version}, which is not what is installed here.`);
    const place = join(folder, 'node_modules', name);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(here, place);
    for (const [command, file] of Object.entries(manifestOf(here).bin ?? {})) {
      symlinkSync(join(here, file), join(folder, 'node_modules/.bin', command));
    }
  }
  return folder;
}

function manifestOf(folder: string): { version?: string; bin?: Record<string, string> } {
  const { version, name, bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return { version, bin: typeof bin === 'string' ? { [name]: bin } : bin };
}

const isVersion = (version: string | undefined) => (folder: string) => {
  try {
    return manifestOf(folder).version === version;
  } catch {
    return false;
  }
};

/** Commands of the page as they stand there; `npx` would take the same programs, after asking npm for them. */
async function run(commands: string, folder: string): Promise<string> {
  const text = commands.replaceAll('{platform}', platform.url).replaceAll('trk_…', key).replaceAll(/^npx /gm, '');
  const env = { HOME: folder, PATH: `${join(folder, 'node_modules/.bin')}:${process.env.PATH}` };
  const { stdout, stderr } = await promisify(execFile)('bash', ['-ec', text], { cwd: folder, env }).catch(error => {
    throw new Error(`${text}\n${error.stdout}\n${error.stderr}`);
  });
  return stdout + stderr;
}

describe.each(['openapi-fetch', 'swagger-typescript-api'])('a client made with %s as its page says', name => {
  const { packages, program, generate, run: runIt } = section(name);
  let folder: string;

  beforeAll(() => {
    folder = projectWith(packages);
    copyFileSync(program, join(folder, program.split('/').at(-1) as string));
    symlinkSync(resolve('examples/package.json'), join(folder, 'package.json'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('is generated without a warning, compiles, and takes a skript from its making to its deletion', async () => {
    expect(await run(generate, folder)).not.toMatch(/warn|error/i);
    const said = await run(runIt, folder);
    expect(JSON.parse(said)).toEqual({ action: 'end', output: { title: 'Emma', digits: 4 }, titles: ['Emma'] });
    for (const kind of ['skripts', 'inputs', 'input-secrets', 'skript-files', 'skript-execution']) {
      expect((await developer('GET', `/joint-api/${kind}/list`)).body.total).toBe(0);
    }
    expect(await platform.documents(name)).toEqual([]);
  });
});

it('has a document to be made from that names this platform, as YAML and as JSON', async () => {
  const yaml = await fetch(`${platform.url}/openapi.yaml`);
  const json = await fetch(`${platform.url}/openapi.json`);
  expect([yaml, json].map(({ headers }) => headers.get('content-type'))).toEqual([
    'application/yaml',
    expect.stringMatching(/^application\/json/),
  ]);
  const { openapi, paths } = (await json.json()) as { openapi: string; paths: object };
  const text = await yaml.text();
  expect(text).toContain(`openapi: ${openapi}`);
  for (const path of Object.keys(paths)) expect(text).toContain(`  ${path}:`);
});
