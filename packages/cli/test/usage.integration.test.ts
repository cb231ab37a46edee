import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { trawl as hostedTrawl } from '../../../e2e/harness/hosted-trawl.js';
import { saveProfile } from '../src/session/credentials.js';

const PROGRAM = resolve('packages/cli/dist/trawl.js');
/** A platform that is not there: no program may listen on this port. */
const NOWHERE = 'http://127.0.0.1:1';

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'trawl-cli-'));
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

const trawl = (args: string[], env: Record<string, string> = {}) =>
  hostedTrawl(args, { cwd: home, env: { XDG_CONFIG_HOME: home, ...env } });

it.each([
  [['start', '--nope', '--json'], "unknown option '--nope'"],
  [['--json', 'nope'], "unknown command 'nope'"],
  [['rows', '--json'], "missing required argument 'collection-or-run'"],
  [['--json', 'executions', '--limit'], "option '--limit <count>' argument missing"],
  [['--json'], 'Name a command. To list them: trawl --help'],
])('the command line reports wrong usage as JSON if --json is set: %j', async (args, message) => {
  const { code, stdout, stderr } = await trawl(args);
  const stated = { error_message: expect.stringContaining(message), exit_code: 2 };
  expect([code, stdout, JSON.parse(stderr)]).toEqual([2, '', stated]);
});

it('the command line prints help and version as JSON if --json is set', async () => {
  const help = JSON.parse((await trawl(['logs', '--help', '--json'])).stdout);
  expect([help.usage, help.options[0].flags]).toEqual(['trawl logs [options] [run]', '-f, --follow']);
  expect(JSON.parse((await trawl(['--json', '--help'])).stdout).commands).toContainEqual({
    name: 'upload',
    aliases: ['u'],
    description: 'send a skript to the platform',
  });
  expect(JSON.parse((await trawl(['--version', '--json'])).stdout)).toMatch(/^\d+\.\d+\.\d+$/);
});

it('`trawl api` refuses a GET with a body as wrong usage', async () => {
  const { code, stderr } = await trawl(['api', 'GET', '/joint-api/account', '-d', '{}']);
  expect([code, stderr]).toEqual([2, 'GET sends no body: leave out --data.\n']);
});

it('`export` and `import` refuse an output file in a missing folder before they call the platform', async () => {
  const env = { TRAWL_URL: NOWHERE, TRAWL_KEY: 'trk_1' };
  const file = join(home, 'missing', 'books.csv');
  const message = `There is no folder ${join(home, 'missing')} for ${file}. Create it, or name another file.\n`;
  const exported = await trawl(['export', 'books', '-o', file], env);
  expect([exported.code, exported.stderr]).toEqual([2, message]);
  const imported = await trawl(['import', '-', 'books', '--bad-rows', file], env);
  expect([imported.code, imported.stderr]).toEqual([2, message]);
});

it('the option -is is read as a value if it follows an option that needs one', async () => {
  const { stderr } = await trawl(['executions', '--limit', '-is']);
  expect(stderr).toBe('--limit must be a whole number between 1 and 1000; you gave -is.\n');
});

it('commands end with exit code 6 if the platform is unreachable', async () => {
  const env = { TRAWL_URL: NOWHERE, TRAWL_KEY: 'trk_1' };
  const call = await trawl(['api', 'GET', '/joint-api/account'], env);
  expect([call.code, call.stderr]).toEqual([6, expect.stringMatching(/^Trawl is unreachable at http:\/\/127/)]);
  const login = await trawl([
    'login',
    '--url',
    NOWHERE.replace('http://', ''),
    '--username',
    'a',
    '--password-stdin',
    '--json',
  ]);
  expect([login.code, JSON.parse(login.stderr)]).toEqual([
    6,
    { error_message: expect.not.stringContaining('SSL'), exit_code: 6 },
  ]);
});

it.each(['__proto__', 'constructor'])('a profile of the command line may be named %s', async profile => {
  const named = ['--profile', profile];
  expect((await trawl(['logout', ...named])).stdout).toBe('You are not signed in.\n');
  expect((await trawl(['whoami', ...named])).code).toBe(3);
  await signedIn(profile);
  const { stderr } = await trawl(['whoami', '--profile', 'toString']);
  expect(stderr).toBe(
    `You are not signed in with the profile "toString". Name another with --profile: ${profile}. Or sign in with: trawl login --profile toString\n`,
  );
  expect((await trawl(['logout', ...named])).stdout).toBe(`Signed out of ${NOWHERE}\n`);
});

it('signing in to a second profile keeps the first in use; signing out switches to the profile that is left', async () => {
  const used = async () => JSON.parse(readFileSync(join(home, 'trawl', 'credentials.json'), 'utf8')).current;
  await signedIn('work');
  await signedIn('home');
  expect(await used()).toBe('work');
  expect((await trawl(['logout', '--profile', 'work'])).stderr).toBe('Commands now use the profile home.\n');
  expect(await used()).toBe('home');
  await signedIn('one');
  await signedIn('two');
  expect((await trawl(['logout'])).stdout).toBe(`Signed out of ${NOWHERE}\n`);
  expect((await trawl(['whoami'])).stderr).toContain('Name another with --profile: one, two.');
  await trawl(['logout', '--profile', 'one']);
  expect((await trawl(['open'])).code).toBe(6); // it has found the account of the profile that is left
});

/** Saves a key of this profile, as `login` does after the platform has accepted it. */
async function signedIn(profile: string): Promise<void> {
  process.env.XDG_CONFIG_HOME = home;
  await saveProfile(profile, { url: NOWHERE, username: 'a', key: 'trk_1', is_session: false });
}

it('`trawl init` refuses an unknown template and creates no folder', async () => {
  const { code, stderr } = await trawl(['init', 'Books', '--template', 'toString']);
  expect([code, stderr]).toEqual([
    2,
    'There is no template "toString". Choose typescript, plain, cheerio, browser, crawlee, flow.\n',
  ]);
  expect(readdirSync(home)).toEqual([]);
});

(existsSync('/dev/full') ? it : it.skip)(
  'the command line reports a full disk in one line, without a stack trace',
  () => {
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, 'completion', 'bash'], {
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    });
    closeSync(full);
    expect([status, stderr]).toEqual([1, 'The result could not be written to stdout: ENOSPC.\n']);
  },
);

describe('`trawl completion`', () => {
  it('completes commands, aliases, options and values in bash, and no names while the platform is unreachable', async () => {
    await signedIn('work');
    const { stdout } = await trawl(['completion', 'bash']);
    const complete = (...words: string[]) => {
      const program = `trawl() { '${process.execPath}' '${PROGRAM}' "$@"; }`;
      const line = `COMP_WORDS=(trawl ${words.join(' ')} ''); COMP_CWORD=${words.length}; _trawl; echo "\${COMPREPLY[@]}"`;
      const { stdout: found, stderr } = spawnSync('bash', ['--norc', '-c', `${program}\n${stdout}\n${line}`], {
        encoding: 'utf8',
        env: { PATH: process.env.PATH, XDG_CONFIG_HOME: home },
      });
      expect(stderr).toBe('');
      return found.trim();
    };
    expect(complete('dow')).toBe('download');
    expect(complete('whoami', '--profile', 'w')).toBe('work');
    expect(complete('api', 'P')).toBe('POST PUT');
    expect(complete('run', 'Boo')).toBe(''); // the platform is not there
    if (!isFullTest) return;
    expect(complete('download', '--fo')).toBe('--folder --force');
    expect(complete('d', '--fol')).toBe('--folder');
    expect(complete('secrets', 's')).toBe('set');
    expect(complete('schedules', 'p')).toBe('pause');
    expect(complete('schedules', 'add', '--ti')).toBe('--time-zone');
    expect(complete('init', 'Books', '-t', 'c')).toBe('cheerio');
    expect(complete('run', '-is', '--pro')).toBe('');
    expect(complete('completion', "''")).toBe('bash zsh fish');
  });

  it('prints scripts for zsh and fish, one JSON value with --json, and refuses other shells', async () => {
    expect((await trawl(['completion', 'zsh'])).stdout).toMatch(/^#compdef trawl\n/);
    const { stdout } = await trawl(['completion', 'fish']);
    expect(stdout).toContain('complete -c trawl');
    expect(JSON.parse((await trawl(['completion', 'fish', '--json'])).stdout)).toBe(stdout);
    expect(await trawl(['completion', 'toString'])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'The shell must be bash, zsh, fish; you gave toString.\n',
    });
  });
});

it('`check` prints type errors and exits with 1, and exits with 0 if a skript has none', async () => {
  await trawl(['init', 'Typed', '--template', 'plain']);
  const wrong = "import { load } from 'cheerio';\nexport default (): number => load('a')('a').text();\n";
  writeFileSync(join(home, 'Typed', 'greeting.ts'), wrong);
  const place = { file: 'greeting.ts', line: 2, column: 30 };
  const message = "Type 'string' is not assignable to type 'number'.";
  expect(await trawl(['check', '-s', 'Typed'])).toEqual({
    code: 1,
    stdout: `greeting.ts:2:30: ${message}\n`,
    stderr: 'The skript has a type error.\n',
  });
  const asJson = await trawl(['check', '-s', 'Typed', '--json']);
  expect([asJson.code, JSON.parse(asJson.stdout)]).toEqual([1, [{ ...place, message }]]);
  rmSync(join(home, 'Typed', 'greeting.ts'));
  expect(await trawl(['check', '-s', 'Typed'])).toEqual({ code: 0, stdout: 'No type errors\n', stderr: '' });
});

it('`init` makes a TypeScript skript by default, and `start` writes the types again that its tsconfig.json names', async () => {
  expect((await trawl(['init', 'Books'])).stdout).toContain(
    'main.test.ts, main.ts, manifest.json, shelf.ts, tsconfig.json',
  );
  const types = join(home, 'Books', '.trawl', 'types');
  const written = readdirSync(types, { recursive: true }).length;
  rmSync(types, { recursive: true });
  await trawl(['start', '-s', 'Books']);
  expect(readdirSync(types, { recursive: true })).toHaveLength(written);
});
