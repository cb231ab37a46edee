import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Platform } from '../harness/platform.js';
import { freePort } from '../harness/ports.js';
import { type ServedFolder, serveFolder } from '../harness/serve-folder.js';
import { expectShown, run, stepsOf } from './page-commands.js';

const PAGES = 'website/docs/joint-api';
/** Another page with such commands. */
const WHAT_CHANGED = '../tech/what-changed.mdx';
/** The test e2e/clients runs the commands of this page. */
const TESTED_ELSEWHERE = 'generated-clients.mdx';
const RECORDED = 'website/content/api-examples.json';
/** `npm test` runs the commands of every fourth page, from one that the seed chooses. */
const SAMPLE = 4;
/** Fields with other content here: the worker has no Chromium, and reports requests and usage only of runs that take long. */
const MISSING_HERE = ['chromium', 'requests', 'usage'];

let folder: string;
let shop: ServedFolder;
// This test starts a platform of its own, because the examples restart the platform's public worker.
let platform: Platform;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'trawl-examples-'));
  writeFileSync(join(folder, 'index.html'), '<title>A shop</title>');
  shop = await serveFolder(folder, await freePort());
  platform = await Platform.start({ mayReach: [shop.url] });
});
afterAll(async () => {
  await platform?.close();
  await shop?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Returns the names of all fields in a response. For a list it returns the fields of the first item. */
function fieldsOf(value: any, at = ''): string[] {
  if (Array.isArray(value)) return value.length > 0 ? fieldsOf(value[0], `${at}[]`) : [];
  if (typeof value !== 'object' || value === null) return [at];
  return Object.keys(value)
    .sort()
    .flatMap(key => (MISSING_HERE.includes(key) ? `${at}.${key}` : fieldsOf(value[key], `${at}.${key}`)));
}

test('the platform answers every recorded call with the status and fields that the API pages show', async () => {
  // This login creates one more session, so that the list of sessions is longer than one page, as in the recorded
  // response.
  await platform.signIn('developer');
  const output = join(folder, 'api-examples.json');
  await promisify(execFile)(process.execPath, ['website/scripts/record-api.mjs', output], {
    env: {
      ...process.env,
      TRAWL_URL: platform.url,
      TRAWL_DATA_DIR: platform.dataDir,
      PRACTICE_URL: shop.url,
    },
  });
  const recorded = JSON.parse(readFileSync(RECORDED, 'utf8'));
  const answered = JSON.parse(readFileSync(output, 'utf8'));
  expect(Object.keys(answered)).toEqual(Object.keys(recorded));
  const shape = (calls: Record<string, any>) =>
    Object.entries(calls).map(([name, { status, answer }]) => ({ name, status, fields: fieldsOf(answer) }));
  expect(shape(answered)).toEqual(shape(recorded));
});

const pages = readdirSync(PAGES).filter(file => file !== TESTED_ELSEWHERE);

test.each(pages)('the API page %s has commands to run', file => {
  expect(stepsOf(join(PAGES, file)).length).toBeGreaterThan(0);
});

describe('the commands of an API page', () => {
  let env: Record<string, string>;

  beforeAll(async () => {
    // With these settings curl fails if it gets an error response, and prints the response.
    writeFileSync(join(folder, '.curlrc'), 'fail-with-body\nshow-error\n');
    const duckdb = `exec '${process.execPath}' '${resolve('e2e/api-examples/duckdb.mjs')}' "$@"`;
    writeFileSync(join(folder, 'duckdb'), `#!/bin/sh\n${duckdb}\n`, { mode: 0o755 });
    env = {
      PATH: `${folder}:${process.env.PATH}`,
      PASSWORD: platform.credential('developer').password,
      TOKEN: await platform.signIn('developer'),
      ADMIN_TOKEN: await platform.signIn('admin'),
    };
  });

  const withAddress = (commands: string) => commands.replaceAll('{platform}', platform.url);
  const sample = pages.filter((_, index) => index % SAMPLE === testSeed % SAMPLE);

  const tested = [WHAT_CHANGED, ...(isFullTest ? pages : sample)];

  it.each(tested)('work unchanged and print what the page shows: %s', async file => {
    const steps = stepsOf(join(PAGES, file)).map(step => ({ ...step, commands: withAddress(step.commands) }));
    // The website writes the function of the introduction above the commands that call it.
    const [definition] = stepsOf(join(PAGES, 'index.mdx'));
    const printed = await run(steps, definition?.commands ?? '', folder, env);
    for (const [index, { answer }] of steps.entries()) if (answer) expectShown(printed[index] as string, answer);
  });
});
