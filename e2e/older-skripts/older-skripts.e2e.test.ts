import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { trawl } from '../harness/hosted-trawl.js';
import { sharedPlatform } from '../harness/shared-platform.js';
import { BROWSER_SKRIPT, GIF, NODEJS_SKRIPT, PAGE } from './skripts.js';

const platform = sharedPlatform();
let home: string;
let site: string;
let server: Server;
let env: Record<string, string>;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'trawl-older-'));
  const port = await platform.reservedPort();
  server = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(PAGE));
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve));
  site = `http://127.0.0.1:${port}/`;
  const developer = await platform.as('developer');
  const { body } = await developer('POST', '/joint-api/keys/addnew', { name: 'older skripts', scope: 'all' });
  env = { TRAWL_URL: platform.url, TRAWL_KEY: body.key };
});

afterAll(() => {
  server?.close();
  rmSync(home, { recursive: true, force: true });
});

type Files = Record<string, string | Buffer>;

const withTitle = (files: Files, title: string): Files => ({
  ...files,
  'manifest.json': JSON.stringify({ ...JSON.parse(String(files['manifest.json'] ?? '{}')), title }),
});

/** Writes the skript to a folder of its title, as the older command line wanted it. */
function write(title: string, files: Files): string {
  const folder = join(home, title);
  for (const [name, content] of Object.entries(withTitle(files, title))) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

async function command(folder: string, ...args: string[]): Promise<any> {
  const { code, stdout, stderr } = await trawl([...args, '--json'], { cwd: folder, env });
  expect([args[0], code, code === 0 ? '' : stderr]).toEqual([args[0], 0, '']);
  return JSON.parse(stdout);
}

const echoesOf = async (id: string) => (await platform.echoes(id)).map(({ type, msg }) => `${type} ${msg}`);

/** The results of the flows of `NODEJS_SKRIPT` for the input 5. */
const FLOWN = [9, { a: 17 }, [6, 7], 17];
/** What `NODEJS_SKRIPT` finds in its folder. */
const FOLDER = {
  category: 'general',
  howto: '<p>Start it.</p>',
  shout: 'npm:echoer@77.0.0',
  inputs: [5, ['Sails']],
  secrets: [],
  names: ['a.js', 'b.js'],
  inSteps: ['steps', 'steps/index.js'],
  counted: 12,
};
const LOCALLY = ['start', '-i', 'input.json', '-is', 'inputSecret.json'];
const WAYS = ['trawl upload', 'the API'];

/**
 * Uploads the skript and runs it with its own input and input secret. Returns the names that the upload skipped, and the
 * execution.
 */
async function uploadAndRun(way: string, files: Files): Promise<{ skipped: string[]; run: any }> {
  const title = `Older by ${way} ${Object.keys(files).length}`;
  if (way === 'trawl upload') {
    const folder = write(title, files);
    const { skipped, ignored_fields } = await command(folder, 'upload');
    expect(ignored_fields).toEqual(['version']);
    return { skipped, run: await command(folder, 'run') };
  }
  const developer = await platform.as('developer');
  const list = Object.entries(withTitle(files, title)).map(([name, content]) =>
    Buffer.isBuffer(content) ? { name, content: content.toString('base64'), encoding: 'base64' } : { name, content },
  );
  const { status, body } = await developer('POST', '/joint-api/skripts/upload-files', { files: list });
  expect([status, body.error_message, body.ignored_fields]).toEqual([200, undefined, ['version']]);
  expect(body.skript).toMatchObject({ worker_response_timeout: 5000, time_limit_ms: 3_600_000 });
  const skript_id = body.skript.id;
  const stored = async (what: string) =>
    (await developer('GET', `/joint-api/${what}/list?skript_id=${skript_id}&sort=name`)).body.items.at(-1)?.id;
  const values = { input_id: await stored('inputs'), inputSecret_id: await stored('input-secrets') };
  // The start waits only 5 seconds, as worker_response_timeout says. The run may take longer.
  const start = { worker_id: platform.workerId, skript_id, ...values };
  const started = await developer('POST', '/joint-api/execute-skript/single-worker/start', start);
  return { skipped: body.skipped, run: await platform.ended(started.body.id) };
}

describe.each(isFullTest ? WAYS : [WAYS[testSeed % WAYS.length] as string])('an older skript, uploaded by %s', way => {
  it('finds its libraries, files, input and secret in a run', async () => {
    const { skipped, run } = await uploadAndRun(way, NODEJS_SKRIPT);
    expect(skipped.sort()).toEqual(['.env', 'dex8auth.json', 'dist/', 'node_modules/']);
    expect([run.error_stack, run.output]).toEqual([
      null,
      {
        flow: FLOWN,
        classes: true,
        answer: 'the last',
        emitted: ['echo-event log', 'echo-event question', 'echoer warn'],
        price: '3',
        logo: GIF.toString('base64'),
        pin: 1235,
        folder: FOLDER,
      },
    ]);
    expect(await echoesOf(run.id)).toEqual([
      'log page {"n":1} true',
      'question Which page?',
      'answer #2 answered',
      'warn slow',
      'log green',
    ]);
  });

  it('gets a browser and a warning if its manifest names the environment `nodejs`', async () => {
    const { run } = await uploadAndRun(way, { ...BROWSER_SKRIPT, 'input.json': JSON.stringify(site) });
    expect([run.error_stack, run.output]).toEqual([
      null,
      { found: ['Order', 'Order'], isPhone: true, size: 'l', clients: [200, 200], agent: 'Desktop' },
    ]);
    const ignored = ['headless: false', 'devtools: true'].map(option => expect.stringContaining(`ignores ${option}`));
    const removed = ['devices', '$x', 'waitForXPath', 'waitForTimeout', 'waitFor'];
    expect(await echoesOf(run.id)).toEqual([
      ...ignored,
      ...removed.map(name => expect.stringContaining(`warn Puppeteer has removed ${name}. `)),
    ]);
    const developer = await platform.as('developer');
    const { body } = await developer('POST', `/joint-api/skripts/${run.skript.id}/bundle`);
    expect(body.warnings).toEqual([
      expect.objectContaining({
        message: expect.stringContaining('runs in the environment browser instead of nodejs'),
      }),
    ]);
  });
});

it('an older skript runs with `trawl start`; one with a library as second parameter runs with a warning', async () => {
  const { output, error_stack } = await command(write('Older here', NODEJS_SKRIPT), ...LOCALLY);
  expect([error_stack, output.flow, output.pin, output.folder]).toEqual([null, FLOWN, 1235, FOLDER]);
  const main = 'module.exports = async (input, library) => { library.eventEmitter.setMaxListeners(5); };';
  const { code, stdout, stderr } = await trawl(['start'], { cwd: write('Of 2023', { 'main.js': main }), env });
  const warning = expect.stringContaining('takes its libraries from its second parameter');
  expect([code, stdout + stderr]).toEqual([0, warning]);
});
