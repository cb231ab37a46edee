import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expectShown } from '../api-examples/page-commands.js';
import { Child } from '../harness/child.js';
import { sharedPlatform } from '../harness/shared-platform.js';
import { temporaryFolder } from '../harness/temporary-folder.js';
import { Terminal } from '../harness/trawl-process.js';
import { openEsbuildRegistry } from './esbuild-registry.js';
import { Shell } from './shell.js';
import { htmlOf, otherCommands, type Step, stepsOf, withoutIdsAndTimes } from './tutorial.js';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const ARCHIVE = `trawl-cli-${version}.tgz`;
/** The command of the page that installs the command line. */
const INSTALL = `npm pack --workspace trawl-cli\nnpm install --global ./${ARCHIVE}\n`;
const PAGE = readFileSync('website/docs/tutorials/develop-skript.mdx', 'utf8');
const TYPED_PAGE = readFileSync('website/docs/tutorials/typed-scraper.mdx', 'utf8');
/** The folder of the reader's projects, as the page shows it. */
const HOME = '/home/you';
const PRACTICE_SITE = 'http://127.0.0.1:3001';
/** On a slow machine, the program says what it waits for. Not every machine has each layer of the sandbox. */
const PROGRESS =
  /^(?:(?:Uploading|Waiting|GET|POST|DELETE) .*…|The sandbox of this computer lacks: .*|This computer runs the skript with Node .*)\n/gm;

const platform = sharedPlatform();
let home: string;
let programs: string;
let shop: string;
let site: Child;
let shell: Shell;

beforeAll(async () => {
  const port = await platform.reservedPort();
  shop = `http://127.0.0.1:${port}`;
  site = new Child('examples/dist/practice-site/main.js', { PORT: String(port) });
  await site.start(async () => (await fetch(shop)).ok);
  home = temporaryFolder('trawl-tutorial-');
  programs = temporaryFolder('trawl-programs-');
  await install();
  shell = new Shell(home, { HOME: home, PATH: `${join(programs, 'bin')}:${process.env.PATH}` });
});
afterAll(async () => {
  shell?.close();
  await site?.kill('SIGTERM');
  for (const folder of [home, programs]) rmSync(folder, { recursive: true, force: true });
});

/**
 * Installs the command line as the page says, into a folder of this test and without the network. `npm test` links the
 * built program instead, because a test of packages/cli packs and unpacks it.
 */
async function install(): Promise<void> {
  if (!isFullTest) {
    mkdirSync(join(programs, 'bin'));
    return symlinkSync(resolve('packages/cli/dist/trawl.js'), join(programs, 'bin', 'trawl'));
  }
  const registry = await openEsbuildRegistry();
  const env = {
    HOME: home,
    PATH: process.env.PATH ?? '',
    npm_config_prefix: programs,
    npm_config_cache: join(programs, 'cache'),
    npm_config_registry: registry.url,
    npm_config_audit: 'false',
  };
  const checkout = new Shell(resolve('.'), env);
  try {
    const { printed, succeeded } = await checkout.run(INSTALL);
    if (!succeeded) throw new Error(printed);
  } finally {
    checkout.close();
    await registry.close();
    rmSync(ARCHIVE, { force: true });
  }
}

const account = () => platform.credential('developer');

/** Replaces the addresses and names of the page with those of this test. */
const here = (text: string): string =>
  text
    .replaceAll('{platform}', platform.url)
    .replaceAll(new URL(PRACTICE_SITE).host, new URL(shop).host)
    .replaceAll(HOME, home);

/** `trawl login` asks for the password at a terminal. */
async function logIn(commands: string, shown: string): Promise<void> {
  const asked = here(commands).replace('developer', account().username).trim().split(' ').slice(1);
  const terminal = new Terminal(asked, { cwd: home, env: { HOME: home } });
  const [question = '', ...lines] = here(shown).replace('developer', account().username).trim().split('\n');
  await terminal.shows(question);
  terminal.type(`${account().password}\r`);
  expect([await terminal.ended, terminal.screen]).toEqual([0, expect.stringContaining(lines.join('\n'))]);
}

/** Does a step of a page in the folder of its skript. `compare` expects that it prints what the page shows. */
async function follow(
  step: Step,
  folder: string,
  compare = (printed: string, shown: string) => expect(printed).toEqual(shown),
): Promise<void> {
  if (step.kind === 'commands') {
    if (step.commands.startsWith('trawl login')) return logIn(step.commands, step.shown);
    const { printed, succeeded } = await shell.run(here(step.commands));
    const { commands } = step;
    expect([commands, succeeded, succeeded === step.succeeds ? '' : printed]).toEqual([commands, step.succeeds, '']);
    return compare(withoutIdsAndTimes(printed.replace(PROGRESS, '')), withoutIdsAndTimes(here(step.shown)));
  }
  const path = join(home, folder, step.name);
  if (step.kind === 'file') return writeFileSync(path, here(step.text));
  const lines = readFileSync(path, 'utf8').split('\n');
  lines[step.line - 1] = step.text.trimEnd();
  writeFileSync(path, lines.join('\n'));
}

it('each step of the tutorial "Develop a skript" gives the output that the tutorial shows', async () => {
  const steps = stepsOf(PAGE);
  expect(steps.map(({ kind }) => kind)).toEqual([
    ...['commands', 'commands', 'commands', 'file', 'file', 'commands', 'commands', 'line', 'commands', 'line'],
    ...['commands', 'commands', 'commands', 'commands', 'commands', 'commands'],
  ]);
  for (const step of steps) await follow(step, 'sea-stories');
  const developer = await platform.as('developer');
  for (const kind of ['skripts', 'inputs', 'schedules']) {
    expect((await developer('GET', `/joint-api/${kind}/list`)).body.total).toBe(0);
  }
});

it('the practice shop serves the HTML that the tutorial shows', async () => {
  const text = await (await fetch(`${shop}/categories/sea-stories`)).text();
  expectShown(text, { language: 'html', text: htmlOf(PAGE), isPart: true });
});

// The test of `npm start` runs the first of them, and this test installs the program with the second.
it('commands of the tutorial outside its steps only start Trawl and install the command line', () => {
  expect(otherCommands(PAGE)).toEqual(['npm start\n', INSTALL]);
});

it('each step of the tutorial about types, tests and a schedule prints what it shows', async () => {
  await shell.run(`cd ${home}`);
  for (const step of stepsOf(TYPED_PAGE)) await follow(step, 'maps', expectLines);
  const developer = await platform.as('developer');
  for (const kind of ['skripts', 'schedules']) {
    expect((await developer('GET', `/joint-api/${kind}/list`)).body.total).toBe(0);
  }
});

/** Expects the lines that a page shows, in this order. `…` stands for any other lines. */
function expectLines(printed: string, shown: string): void {
  const lines = printed.split('\n').map(lineWithoutTimes);
  for (const line of shown.split('\n').map(lineWithoutTimes)) {
    if (line === '…' || line === '') continue;
    expect(lines).toContain(line);
    lines.splice(0, lines.indexOf(line) + 1);
  }
}

/** Replaces how long a test took, and the time of an echo or a row. */
const lineWithoutTimes = (line: string): string =>
  line
    .replace(/ \([\d.]+ms\)$/, '')
    .replace(/^\d\d:\d\d:\d\d[+-]\d\d:\d\d /, '(time) ')
    .replace(/"_at":"[^"]*"/, '"_at":"(time)"');
