import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import express from 'express';
import { serveSite } from './site.js';

const FILES = {
  'website/index.html': '<h1>Home</h1>',
  'website/docs/page.html': '<h1>Page</h1>',
  'website/404.html': '<h1>Not here</h1>',
  'website/assets/js/main.1a2b3c4d.js': '',
  'website/img/panel-skript-executions-light.webp': '',
  'website/docs/page.md': '# Seite',
  'website/llms.txt': 'Ångström',
  'website/samples/rows.csv': 'name\n',
  'panel/index.html': '<h1>Panel</h1>',
};

let folder: string;
let server: Server;
let url: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'trawl-site-'));
  for (const [name, content] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  const app = express();
  app.use(serveSite({ websiteDir: join(folder, 'website'), panelDir: join(folder, 'panel') }));
  server = createServer(app).listen(0, '127.0.0.1');
  await new Promise(resolve => server.once('listening', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
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

test('browsers may cache only files with a hash in their name forever', async () => {
  const cacheOf = async (path: string) => (await fetch(url + path)).headers.get('cache-control');
  expect(await cacheOf('/assets/js/main.1a2b3c4d.js')).toContain('immutable');
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
