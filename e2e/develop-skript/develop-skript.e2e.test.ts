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

async function follow(step: Step): Promise<void> {
  if (step.kind === 'commands') {
    if (step.commands.startsWith('trawl login')) return logIn(step.commands, step.shown);
    const { printed, succeeded } = await shell.run(here(step.commands));
    const seen = withoutIdsAndTimes(printed.replace(PROGRESS, ''));
    const { commands } = step;
    expect({ commands, succeeded, seen }).toEqual({
      commands,
      succeeded: step.succeeds,
      seen: withoutIdsAndTimes(here(step.shown)),
    });
    return;
  }
  const path = join(home, 'sea-stories', step.name);
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
  for (const step of steps) await follow(step);
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

it('the skript that `trawl init` makes passes its check and its test, and stores the same books here and on Trawl', async () => {
  await logIn('trawl login --url {platform} --username developer', 'Password\nSigned in to {platform} as developer');
  const { printed } = await shell.run(`cd ${home}\ntrawl init Shelf`);
  const [, ...next] = printed.split('Next:\n\n');
  await shell.run(`cd Shelf\necho '{ "base_url": "${shop}", "shelf": "sea-stories" }' > input.json`);
  const commands = next.join('').trim().replace(new URL(PRACTICE_SITE).host, new URL(shop).host).split('\n');
  expect(commands).toEqual(['cd "Shelf"', 'trawl test', 'trawl check', expect.stringMatching(/ trawl start$/)]);
  const ends = [];
  for (const command of [...commands.slice(1), 'trawl upload', 'trawl run']) ends.push(await shell.run(command));
  const printedBooks = expect.stringContaining('{\n  "books": 102\n}');
  expect(ends.map(({ succeeded, printed }) => [succeeded, printed])).toEqual([
    [true, expect.stringContaining('pass 1')],
    [true, 'No type errors\n'],
    [true, printedBooks],
    [true, expect.stringContaining('Created Shelf')],
    [true, printedBooks],
  ]);
  await shell.run('trawl delete Shelf --remote --yes');
});
