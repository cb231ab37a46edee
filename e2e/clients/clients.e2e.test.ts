import { execFile } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Api } from '../harness/platform-client.js';
import { sharedPlatform } from '../harness/shared-platform.js';

const PAGE = readFileSync('website/docs/joint-api/generated-clients.mdx', 'utf8');

/** Large packages of the generators that only `npm run test:full` tests. They are installed when it runs. */
const MORE_GENERATORS = 'e2e/clients/generators';

const platform = sharedPlatform();
let developer: Api;
let key: string;

beforeAll(async () => {
  if (isFullTest) {
    await promisify(execFile)('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: MORE_GENERATORS });
  }
  developer = await platform.as('developer');
  key = (await developer('POST', '/joint-api/keys/addnew', { name: 'generated clients', scope: 'all' })).body.key;
});

/** Returns the packages, commands and files of one section of the page. */
function section(name: string) {
  const text = PAGE.split(/^## /m).find(part => part.startsWith(`${name}\n`)) ?? '';
  const [install = '', generate = '', run = ''] = [...text.matchAll(/```bash\n(.*?)```/gs)].map(([, code]) => code);
  const files = [...text.matchAll(/```[jt]s .*file=(\S+)/g)].map(([, file]) => file as string);
  return { packages: [...install.matchAll(/(\S+)@(\d\S+)/g)].map(([, ...named]) => named), files, generate, run };
}

interface Manifest {
  version?: string;
  bin: Record<string, string>;
  dependencies: Record<string, string>;
  peerDependencies?: object;
}

/**
 * Creates a project folder like after `npm install` of these packages. Its node_modules has links to the packages of
 * this repository. A package with peer dependencies is copied, so that it finds the versions of the page.
 */
function projectWith(packages: string[][]): string {
  const folder = mkdtempSync(join(tmpdir(), 'trawl-client-'));
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  for (const [name = '', version] of packages) {
    const [here] = ['node_modules', 'packages/client/node_modules', `${MORE_GENERATORS}/node_modules`]
      .map(room => resolve(room, name))
      .filter(isVersion(version));
    if (!here) throw new Error(`The page installs ${name}@${version}; another version is installed here.`);
    const { bin, dependencies, peerDependencies } = manifestOf(here);
    const place = join(modules, name);
    if (peerDependencies) {
      cpSync(here, place, { recursive: true });
      const { resolve: resolveFrom } = createRequire(join(here, 'package.json'));
      for (const dependency of Object.keys(dependencies)) {
        const found = resolveFrom
          .paths(dependency)
          ?.map(parent => join(parent, dependency))
          .find(existsSync);
        if (found && !existsSync(join(place, 'node_modules', dependency))) link(found, join(modules, dependency));
      }
    } else link(here, place);
    for (const [command, file] of Object.entries(bin)) link(join(place, file), join(modules, '.bin', command));
  }
  return folder;
}

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  if (!existsSync(path)) symlinkSync(target, path);
}

function manifestOf(folder: string): Manifest {
  const { name, bin = {}, dependencies = {}, ...rest } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return { ...rest, dependencies, bin: typeof bin === 'string' ? { [name]: bin } : bin };
}

const isVersion = (version: string | undefined) => (folder: string) => {
  try {
    return manifestOf(folder).version === version;
  } catch {
    return false;
  }
};

/**
 * Runs commands of the page unchanged, except for `npx`: it would ask npm for programs that the folder already has as
 * links.
 */
async function run(commands: string, folder: string): Promise<string> {
  const text = commands
    .replaceAll('{platform}', platform.url)
    .replaceAll('trk_…', key)
    .replaceAll(/\bnpx /g, '');
  const env = { HOME: folder, PATH: `${join(folder, 'node_modules/.bin')}:${process.env.PATH}` };
  const { stdout, stderr } = await promisify(execFile)('bash', ['-ec', text], { cwd: folder, env }).catch(error => {
    throw new Error(`${text}\n${error.stdout}\n${error.stderr}`);
  });
  return stdout + stderr;
}

/** The sections of the page. `npm test` runs one of the first two, which the seed chooses. */
const GENERATORS = ['hey-api', 'openapi-typescript-codegen', 'openapi-fetch', 'orval', 'swagger-typescript-api'];

describe.each(isFullTest ? GENERATORS : [GENERATORS[testSeed % 2] as string])(
  'the API client that %s generates with the commands of the page',
  name => {
    const { packages, files, generate, run: runIt } = section(name);
    let folder: string;

    beforeAll(() => {
      folder = projectWith(packages);
      for (const file of files) copyFileSync(file, join(folder, basename(file)));
      symlinkSync(resolve('examples/package.json'), join(folder, 'package.json'));
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    it('has no warnings, uploads a skript, runs it, follows its log, reads lists page by page and deletes all', async () => {
      expect(await run(generate, folder)).not.toMatch(/warn|error/i);
      const said = await run(runIt, folder);
      const titles = ['Emma', 'Persuasion'];
      expect(JSON.parse(said)).toEqual({ action: 'end', output: { digits: 4 }, texts: titles, titles });
      for (const kind of ['skripts', 'inputs', 'input-secrets', 'skript-files', 'skript-execution']) {
        expect((await developer('GET', `/joint-api/${kind}/list`)).body.total).toBe(0);
      }
      expect(await platform.documents(name)).toEqual([]);
    });
  },
);

it('the platform serves its OpenAPI document as YAML and as JSON', async () => {
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
