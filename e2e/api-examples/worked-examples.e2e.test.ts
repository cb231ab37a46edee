import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Platform } from '../harness/platform.js';
import { expectShown, run, stepsOf } from './page-commands.js';

jest.setTimeout(120_000);

const PAGES = 'website/docs/joint-api';
/** What it has a reader do is held to by a test of its own, e2e/clients. */
const OTHER_TEST = 'generated-clients.mdx';

let platform: Platform;
let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  platform = await Platform.start();
  folder = mkdtempSync(join(tmpdir(), 'trawl-examples-'));
  // An answer that is an error ends the command as a failure, and is printed.
  writeFileSync(join(folder, '.curlrc'), 'fail-with-body\nshow-error\n');
  env = { PATH: String(process.env.PATH), PASSWORD: platform.credential('developer').password };
  for (const [name, role] of [
    ['TOKEN', 'developer'],
    ['ADMIN_TOKEN', 'admin'],
  ] as const) {
    const { username, password } = platform.credential(role);
    const response = await fetch(`${platform.url}/panel/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username, password }),
    });
    env[name] = ((await response.json()) as { jwtToken: string }).jwtToken;
  }
});
afterAll(async () => {
  await platform?.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

const here = (commands: string) => commands.replaceAll('{platform}', platform.url);
const pages = readdirSync(PAGES).filter(file => file !== OTHER_TEST);

it.each(pages)('%s: its commands work as they stand there, and answer what it shows', async file => {
  const steps = stepsOf(join(PAGES, file)).map(step => ({ ...step, commands: here(step.commands) }));
  expect(steps.length).toBeGreaterThan(0);
  // What the introduction has a reader set up for the others.
  const [setUp] = stepsOf(join(PAGES, 'index.mdx'));
  const printed = await run(steps, setUp?.commands ?? '', folder, env);
  for (const [index, { answer }] of steps.entries()) if (answer) expectShown(printed[index] as string, answer);
});
