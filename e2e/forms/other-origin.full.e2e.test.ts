import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { load } from 'cheerio/slim';
import { chromiumForFile, openPage } from '../harness/browser/chromium.js';
import { type ServedFolder, serveFolder } from '../harness/serve-folder.js';
import { sharedPlatform } from '../harness/shared-platform.js';
import { FormPage } from './form-page.js';

jest.setTimeout(400_000);

const EMAIL = 'ada.other-origin@example.com';
const WEBSITE = 'website';
const DOCUSAURUS = '../node_modules/@docusaurus/core/bin/docusaurus.mjs';
const OPERATOR = 'Morrow & Daughters Ltd, 4 Quay Lane, Harbourton';
/**
 * Docusaurus writes generated files to a folder below the site. This build uses a folder of its own, because the normal
 * build uses the default folder.
 */
const GENERATED = 'dist/site-elsewhere';

const platform = sharedPlatform();
const chromium = chromiumForFile();
let folder: string;
let site: ServedFolder;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'trawl-site-'));
  site = await serveFolder(folder, await platform.reservedPort());
  await promisify(execFile)(
    process.execPath,
    [DOCUSAURUS, 'build', '--config', 'docusaurus.few-pages.config.ts', '--out-dir', folder],
    {
      cwd: WEBSITE,
      env: {
        ...process.env,
        NODE_ENV: 'production',
        DOCUSAURUS_GENERATED_FILES_DIR_NAME: GENERATED,
        // Do not use the cache, because it belongs to the normal build.
        DOCUSAURUS_NO_PERSISTENT_CACHE: 'true',
        TRAWL_PUBLIC_URL: site.url,
        SITE_API_URL: `${platform.url}/`,
        SITE_EMAIL: 'hello@example.org',
        SITE_OPERATOR: OPERATOR,
        SITE_SERVICES: 'off',
      },
      maxBuffer: 10_000_000,
    },
  );
}, 400_000);
afterAll(async () => {
  await site?.close();
  rmSync(folder, { recursive: true, force: true });
  rmSync(join(WEBSITE, GENERATED), { recursive: true, force: true });
});

it('a website hosted at another origin sends its forms to the platform', async () => {
  const contact = await FormPage.open(chromium.browser, `${site.url}/contact`);
  const msg = 'We want the prices of six competitors every morning before eight, as one CSV file. '.repeat(2).trim();
  await contact.fill({
    name: 'Ada Lovelace',
    email: EMAIL,
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
  expect(contact.requests.map(({ url }) => url.origin)).toEqual([platform.url, platform.url]);
  expect((await contact.requested('/www/contact')).payload).toMatchObject({
    ip: '127.0.0.1',
    referer: `${site.url}/contact`,
  });
  const { body } = await (await platform.as('admin'))('GET', '/joint-api/contact-messages/list');
  expect(body.items.filter((message: any) => message.email === EMAIL)).toMatchObject([
    { msg, ip: '127.0.0.1', referer: `${site.url}/contact` },
  ]);
  expect(await contact.page.$eval('main a[href^="mailto:"]', link => link.textContent)).toBe('hello@example.org');
  await contact.close();

  const signUp = await FormPage.open(chromium.browser, `${site.url}/sign-up`);
  await signUp.fill({
    first_name: 'Ada',
    last_name: 'Lovelace',
    email: EMAIL,
    city: 'London',
    country: 'United Kingdom',
    result: '99',
  });
  await signUp.submit();
  // The page can also read an error response, although the platform has another origin.
  expect(await signUp.message()).toEqual({ kind: 'error', text: expect.stringMatching(/sum/i) });
  await signUp.settled();
  await signUp.fill({ result: await signUp.answerToSum() });
  await signUp.submit();
  await signUp.page.waitForSelector('form [role="status"][data-kind="success"]');
  expect((await signUp.messageNow())?.text).toContain('e-mail');
  await signUp.close();
});

it('the legal pages and every page’s footer name the operator', async () => {
  const page = await openPage(chromium.browser);
  for (const name of ['privacy-policy', 'terms-of-service']) {
    await page.goto(`${site.url}/legal/${name}`);
    expect(await page.$eval('main article', article => article.textContent)).toContain(OPERATOR);
    expect(await page.$eval('footer', footer => footer.textContent)).toContain(OPERATOR);
  }
  await page.close();
});

it('commands in the documentation of a website at another origin name the platform’s URL', async () => {
  const page = await openPage(chromium.browser);
  await page.setJavaScriptEnabled(false);
  const commands = {
    '/docs/joint-api.html': `curl -s ${platform.url}/panel/login`,
    '/docs/tutorials/develop-skript.html': `trawl login --url ${platform.url}`,
  };
  for (const [path, command] of Object.entries(commands)) {
    await page.goto(site.url + path);
    expect(await page.$eval('main', main => main.textContent)).toContain(command);
  }
  await page.close();
});

it('the forms of a website at an origin that the platform does not allow fail with a network error', async () => {
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

it('a website without services claims no team, and its service pages lead to the software', () => {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name =>
    /^(?!docs|legal).*\.html$/.test(name),
  );
  const pages = names.map(name => {
    const $ = load(readFileSync(join(folder, name), 'utf8'));
    $('script, style, pre').remove();
    $('*').append(' ');
    return { name, $, words: $('html').text().replace(/\s+/g, ' ') };
  });
  expect(names).toEqual(expect.arrayContaining(['index.html', 'services.html', 'services/web-scraping.html']));
  const claims = pages.flatMap(({ name, words }) =>
    (words.match(/services team|experts|[Rr]equest a [Qq]uote|\b(?:[Ww]e|us|[Oo]ur)\b/g) ?? []).map(
      found => `${name}: ${found}`,
    ),
  );
  expect(claims).toEqual([]);
  for (const { name, $ } of pages.filter(page => /^(services|industries)\//.test(page.name))) {
    expect([name, $('main header a.action').first().attr('href')]).toEqual([name, '/docs/tutorials/develop-skript']);
    expect([name, $('#sample a[download]').length]).toEqual([name, 2]);
  }
});
