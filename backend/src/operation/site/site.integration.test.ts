import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import express from 'express';
import { serveSite } from './site.js';
import { Website, type WebsiteBuild } from './website.js';

const FILES = {
  'website/index.html': '<h1>Home</h1>',
  'website/docs/page.html': '<h1>Page</h1>',
  'website/404.html': '<h1>Not here</h1>',
  'website/assets/css/styles.1a2b3c4d.css': '',
  'website/img/panel-skript-executions-light.webp': '',
  'website/docs/page.md': '# Seite',
  'website/llms.txt': 'Ångström',
  'website/samples/rows.csv': 'name\n',
  'website/source.tar.gz': 'an archive',
  'panel/index.html': '<h1>Panel</h1>',
};

const folder = mkdtempSync(join(tmpdir(), 'trawl-site-'));
const stateFile = join(folder, 'website-build.json');
let server: Server;
let url: string;

const writeFiles = (files: Record<string, string>) => {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
};

/** Serves the site of the folder, as a backend that starts now. */
async function start(): Promise<void> {
  const app = express();
  const settings = { publicUrl: 'http://localhost', siteEmail: 'a@localhost', siteOperator: '' };
  const [websiteDir, dataDir, panelDir] = ['website', 'data', 'panel'].map(name => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const website = new Website({ ...settings, websiteDir, dataDir, websiteState: stateFile });
  app.use(serveSite(website, { panelDir }));
  server = createServer(app).listen(0, '127.0.0.1');
  await new Promise(resolve => server.once('listening', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function stop(): void {
  server.closeAllConnections();
  server.close();
}

beforeAll(async () => {
  writeFiles(FILES);
  await start();
});
afterAll(() => {
  stop();
  rmSync(folder, { recursive: true });
});

test.each([
  ['/', 200, 'Home'],
  ['/docs/page', 200, 'Page'],
  ['/docs/nothing', 404, 'Not here'],
  ['/404', 404, 'Not here'],
  ['/404.html', 404, 'Not here'],
  ['/404/', 404, 'Not here'],
  ['/panel/developer/dashboard', 200, 'Panel'],
])('the site answers %s with %i', async (path, status, text) => {
  const response = await fetch(url + path);
  expect(response.status).toBe(status);
  expect(await response.text()).toContain(text);
});

test('a page of a new panel build is served without a restart of the backend', async () => {
  const page = join(folder, 'panel/index.html');
  const read = async () => (await fetch(`${url}/panel/developer/dashboard`)).text();
  try {
    writeFileSync(page, '<h1>New panel</h1>');
    expect(await read()).toBe('<h1>New panel</h1>');
    rmSync(page);
    expect(await read()).toContain('Run `npm run build`');
  } finally {
    writeFileSync(page, FILES['panel/index.html']);
  }
});

test('the archive of the source code arrives as it is, not as a compressed text that clients unpack', async () => {
  const response = await fetch(`${url}/source.tar.gz`);
  expect([response.status, await response.text()]).toEqual([200, 'an archive']);
  const { headers } = response;
  expect([headers.get('content-type'), headers.get('content-encoding')]).toEqual(['application/gzip', null]);
  expect(headers.get('cache-control')).toBe('no-cache');
});

test('browsers may cache only files with a hash in their name forever', async () => {
  const cacheOf = async (path: string) => (await fetch(url + path)).headers.get('cache-control');
  expect(await cacheOf('/assets/css/styles.1a2b3c4d.css')).toContain('immutable');
  expect(await cacheOf('/img/panel-skript-executions-light.webp')).toBe('no-cache');
  expect(await cacheOf('/')).toBe('no-cache');
});

test.each(['/docs/page.md', '/llms.txt', '/samples/rows.csv', '/'])('the site sends %s as UTF-8', async path => {
  expect((await fetch(url + path)).headers.get('content-type')).toMatch(/; ?charset=utf-8$/);
});

test('the content security policy allows connections to this origin only, and images of others in the panel only', async () => {
  const policyOf = async (path: string) =>
    Object.fromEntries(
      String((await fetch(url + path)).headers.get('content-security-policy'))
        .split(';')
        .map(directive => [directive.split(' ')[0], directive.split(' ').slice(1).join(' ')]),
    );
  const [website, panel] = [await policyOf('/'), await policyOf('/panel/developer/dashboard')];
  expect([website['connect-src'], panel['connect-src']]).toEqual(["'self'", "'self'"]);
  expect([website['img-src'], panel['img-src']]).toEqual(["'self' data:", "'self' data: https:"]);
});

describe('while `npm start` builds the website', () => {
  const setState = (state: WebsiteBuild) => writeFileSync(stateFile, JSON.stringify(state));
  const visit = (path: string, accept = 'text/html') => fetch(url + path, { headers: { accept } });

  beforeEach(async () => {
    stop();
    rmSync(join(folder, 'website'), { recursive: true, force: true });
    setState({});
    await start();
  });
  afterAll(() => {
    rmSync(stateFile, { force: true });
    writeFiles(FILES);
  });

  const STATES: [string, WebsiteBuild, string][] = [
    ['has not begun', {}, 'The build begins as soon as the first run has ended.'],
    [
      'is at its second step',
      { step: 2, steps: 4, text: 'bundling the scripts' },
      'Step 2 of 4: bundling the scripts.',
    ],
    ['failed', { failed: true }, 'The terminal of npm start shows the error.'],
  ];

  it.each(STATES)('visitors see that it %s, on a page that reloads', async (_, state, text) => {
    setState(state);
    const response = await visit('/docs/page');
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '3']);
    const page = await response.text();
    expect(page).toContain(text);
    expect(page).toContain('<meta http-equiv="refresh" content="3">');
  });

  it('programs get the same as text, and the panel is served', async () => {
    setState({ step: 1, steps: 4, text: 'reading the pages' });
    const response = await visit('/llms.txt', '*/*');
    expect([response.status, await response.text()]).toEqual([
      503,
      'The website is being built. Step 1 of 4: reading the pages.\n',
    ]);
    expect(await (await visit('/panel/login')).text()).toContain('Panel');
  });

  it('the website is served as soon as it is built', async () => {
    expect((await visit('/')).status).toBe(503);
    writeFiles(FILES);
    expect((await visit('/')).status).toBe(503);
    rmSync(stateFile);
    const answers = await Promise.all(['/', '/docs/page', '/docs/nothing'].map(path => visit(path)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404]);
    expect(await (await visit('/')).text()).toContain('Home');
  });

  it('an older build is served until the newer one is complete', async () => {
    stop();
    writeFiles(FILES);
    await start();
    const home = async () => (await visit('/')).text();
    expect(await home()).toContain('<h1>Home</h1>');
    writeFiles({ 'website/index.html': '<h1>Newer home</h1>' });
    expect(await home()).toContain('<h1>Home</h1>');
    rmSync(stateFile);
    expect(await home()).toContain('<h1>Newer home</h1>');
  });
});
