import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { sharedPlatform } from '../harness/shared-platform.js';

/** The pages about what runs found and saw. Blocks that are `runnable` are run by e2e/api-examples. */
const PAGES = ['replay', 'evidence', 'verdicts', 'what-changed'];
/** Pages name this run. */
const EXAMPLE_RUN = '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071';

const MAIN = `const { dataset } = require('@trawl/storage');
module.exports = async ({ url }) => {
  await dataset.push(await (await fetch(url)).json());
};
`;

const platform = sharedPlatform();
let folder: string;
let site: Server;
let env: Record<string, string>;
let skriptId: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'trawl-pages-'));
  const port = await platform.reservedPort();
  site = createServer((_request, response) => response.end('[{ "sku": "B01", "price": 12.5 }]')).listen(
    port,
    '127.0.0.1',
  );
  const developer = await platform.as('developer');
  const { body: key } = await developer('POST', '/joint-api/keys/addnew', { name: 'pages', scope: 'all' });
  mkdirSync(join(folder, 'bin'));
  writeFileSync(
    join(folder, 'bin', 'trawl'),
    `#!/bin/sh\nexec '${process.execPath}' '${resolve('packages/cli/dist/trawl.js')}' "$@"\n`,
  );
  chmodSync(join(folder, 'bin', 'trawl'), 0o755);
  env = {
    PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
    TRAWL_URL: platform.url,
    TRAWL_KEY: key.key,
    TRAWL_EGRESS_ALLOW: `127.0.0.1:${port}`,
  };
  mkdirSync(join(folder, 'prices'));
  const files = {
    'manifest.json': '{ "title": "prices" }',
    'main.js': MAIN,
    'input.json': `{ "url": "http://127.0.0.1:${port}/" }`,
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, 'prices', name), content);
  await shell('trawl upload');
  const { body } = await developer('GET', '/joint-api/skripts/list');
  skriptId = body.items[0].id;
});

afterAll(() => {
  site?.closeAllConnections();
  site?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a command as a reader of a page does, in the folder of a skript. */
const shell = (command: string) => promisify(execFile)('sh', ['-ec', command], { cwd: join(folder, 'prices'), env });

const commandsOf = (page: string): string[] =>
  [...readFileSync(`website/docs/tech/${page}.mdx`, 'utf8').matchAll(/^```(?:bash|sh)\n(.*?)^```/gms)].map(
    ([, block]) => String(block).trim(),
  );

/** Returns the id of the latest run that has a record, or an empty text. */
async function recordedRun(): Promise<string> {
  const developer = await platform.as('developer');
  const { body } = await developer('GET', `/joint-api/skript-execution/list?skript_id=${skriptId}`);
  return body.items.find(({ record }: { record: { bytes: number } | null }) => record?.bytes)?.id ?? '';
}

it('each command of the pages about records and verdicts works', async () => {
  const commands = PAGES.flatMap(commandsOf);
  expect(commands.filter(command => command.includes('trawl '))).toEqual(commands);
  expect(commands.length).toBeGreaterThan(6);
  for (const command of commands) {
    const failure = await shell(command.replace(EXAMPLE_RUN, await recordedRun())).then(
      () => null,
      error => error.stderr,
    );
    expect({ command, failure }).toEqual({ command, failure: null });
  }
});
