import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Chromium, startChromium } from '../harness/chromium.js';
import { Platform } from '../harness/platform.js';
import { type ServedFolder, serveFolder } from '../harness/serve-folder.js';
import { FormPage, payloadOf } from './form-page.js';

jest.setTimeout(400_000);

const WEBSITE = 'website';
const OPERATOR = 'Morrow & Daughters Ltd, 4 Quay Lane, Harbourton';
/** Docusaurus writes what it generates below the site; the usual folder is that of the usual build. */
const GENERATED = 'dist/site-elsewhere';

let folder: string;
let site: ServedFolder;
let platform: Platform;
let chromium: Chromium;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'trawl-site-'));
  site = await serveFolder(folder);
  platform = await Platform.start({ TRAWL_CORS_ORIGINS: site.url });
  chromium = await startChromium();
  await promisify(execFile)(
    process.execPath,
    ['../node_modules/@docusaurus/core/bin/docusaurus.mjs', 'build', '--out-dir', folder],
    {
      cwd: WEBSITE,
      env: {
        ...process.env,
        NODE_ENV: 'production',
        DOCUSAURUS_GENERATED_FILES_DIR_NAME: GENERATED,
        // It would remember the usual folder.
        DOCUSAURUS_NO_PERSISTENT_CACHE: 'true',
        TRAWL_PUBLIC_URL: site.url,
        SITE_API_URL: `${platform.url}/`,
        SITE_EMAIL: 'hello@example.org',
        SITE_OPERATOR: OPERATOR,
      },
      maxBuffer: 10_000_000,
    },
  );
}, 400_000);
afterAll(async () => {
  await chromium?.close();
  await platform?.close();
  await site?.close();
  rmSync(folder, { recursive: true, force: true });
  rmSync(join(WEBSITE, GENERATED), { recursive: true, force: true });
});

it('a site that is hosted elsewhere sends its forms to the platform', async () => {
  const contact = await FormPage.open(chromium.browser, `${site.url}/contact`);
  const msg = 'We want the prices of six competitors every morning before eight, as one CSV file. '.repeat(2).trim();
  await contact.fill({
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    country: 'Croatia',
    subject: 'Prices',
    msg,
    result: await contact.answerToSum(),
  });
  await contact.submit();
  expect(await contact.message()).toEqual({
    kind: 'success',
    text: 'The message is sent. We will answer very soon.',
  });
  expect(contact.requests.map(request => new URL(request.url()).origin)).toEqual([platform.url, platform.url]);
  expect(payloadOf(await contact.requested('/www/contact'))).toMatchObject({
    ip: '127.0.0.1',
    referer: `${site.url}/contact`,
  });
  const { body } = await (await platform.as('admin'))('GET', '/joint-api/contact-messages/list');
  expect(body.items).toMatchObject([{ msg, ip: '127.0.0.1', referer: `${site.url}/contact` }]);
  expect(await contact.page.$eval('main a[href^="mailto:"]', link => link.textContent)).toBe('hello@example.org');
  await contact.close();

  const signUp = await FormPage.open(chromium.browser, `${site.url}/sign-up`);
  await signUp.fill({
    first_name: 'Ada',
    last_name: 'Lovelace',
    email: 'ada@example.com',
    city: 'London',
    country: 'United Kingdom',
    result: '99',
  });
  await signUp.submit();
  // What the platform refuses can be read across origins, too.
  expect(await signUp.message()).toEqual({ kind: 'error', text: expect.stringMatching(/sum/i) });
  await signUp.settled();
  await signUp.fill({ result: await signUp.answerToSum() });
  await signUp.submit();
  await signUp.page.waitForSelector('form [role="status"][data-kind="success"]');
  expect((await signUp.messageNow())?.text).toContain('e-mail');
  await signUp.close();
});

it('the legal pages and the foot of every page say who runs the installation', async () => {
  const page = await chromium.browser.newPage();
  for (const name of ['privacy-policy', 'terms-of-service']) {
    await page.goto(`${site.url}/legal/${name}`);
    expect(await page.$eval('main article', article => article.textContent)).toContain(OPERATOR);
    expect(await page.$eval('footer', footer => footer.textContent)).toContain(OPERATOR);
  }
  await page.close();
});

it('commands of the documentation call the platform, wherever the site is', async () => {
  const page = await chromium.browser.newPage();
  await page.setJavaScriptEnabled(false);
  for (const path of ['/docs/joint-api.html', '/docs/tutorials/develop-skript.html']) {
    await page.goto(site.url + path);
    expect(await page.$eval('main', main => main.textContent)).toContain(`curl -s ${platform.url}/panel/login`);
  }
  await page.close();
});

it('a site at an origin that was not named reaches nobody', async () => {
  const stranger = await serveFolder(folder);
  try {
    const form = await FormPage.open(chromium.browser, `${stranger.url}/sign-up`);
    await form.fill({
      first_name: 'Ada',
      last_name: 'Lovelace',
      email: 'stranger@example.com',
      city: 'London',
      country: 'United Kingdom',
      result: await form.answerToSum(),
    });
    await form.submit();
    expect(await form.message()).toEqual({ kind: 'error', text: 'Network error' });
    await form.close();
  } finally {
    await stranger.close();
  }
});
