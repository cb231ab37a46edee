import { SITE_PLACEHOLDERS } from '@trawl/contracts';
import { readSiteSettings } from './site-settings';

const PLATFORM = 'https://trawl.example.com';
/** Settings of a site that another server serves. */
const ELSEWHERE = { SITE_API_URL: PLATFORM };

it('a website that the backend serves is built with placeholders for URL, e-mail and operator', () => {
  const env = { TRAWL_PUBLIC_URL: PLATFORM, SITE_EMAIL: 'hello@example.org', SITE_OPERATOR: 'Morrow Data Ltd' };
  expect(readSiteSettings(env)).toEqual({
    ...SITE_PLACEHOLDERS,
    panelUrl: '/panel/login',
    apiUrl: '',
    platformUrl: SITE_PLACEHOLDERS.publicUrl,
    services: true,
    sourceUrl: '',
    editUrl: '',
  });
});

it('the website’s development server defaults to a site and platform on this machine', () => {
  const env = { NODE_ENV: 'development', SITE_API_URL: '', SITE_EMAIL: '', SITE_PANEL_URL: '', TRAWL_PUBLIC_URL: '' };
  expect(readSiteSettings(env)).toEqual({
    publicUrl: 'http://localhost:3000',
    panelUrl: '/panel/login',
    apiUrl: '',
    platformUrl: 'http://localhost:3000',
    email: 'info@localhost',
    operator: '',
    services: true,
    sourceUrl: '',
    editUrl: '',
  });
});

it('SITE_EDIT_URL is the prefix of edit links, with or without a trailing slash', () => {
  for (const address of ['https://git.example.com/edit/main', 'https://git.example.com/edit/main/']) {
    expect(readSiteSettings({ SITE_EDIT_URL: address }).editUrl).toBe('https://git.example.com/edit/main/');
  }
});

it('the website shows SITE_OPERATOR unchanged, without surrounding spaces', () => {
  const operator = 'Morrow Data Ltd, 4 Quay Lane, Harbourton';
  expect(readSiteSettings({ ...ELSEWHERE, SITE_OPERATOR: ` ${operator} ` }).operator).toBe(operator);
});

it.each([
  ['https://trawl.example.com', 'info@trawl.example.com'],
  ['http://localhost:3000', 'info@localhost'],
])('without SITE_EMAIL, the e-mail address of the website %s is %s', (url, email) => {
  expect(readSiteSettings({ ...ELSEWHERE, TRAWL_PUBLIC_URL: url }).email).toBe(email);
  const env = { ...ELSEWHERE, TRAWL_PUBLIC_URL: url, SITE_EMAIL: 'hello@example.org' };
  expect(readSiteSettings(env).email).toBe('hello@example.org');
});

it('the website offers services unless SITE_SERVICES is off', () => {
  expect(readSiteSettings({}).services).toBe(true);
  expect(readSiteSettings({ SITE_SERVICES: 'off' }).services).toBe(false);
});

it('SITE_SOURCE_URL is the repository that the install page names', () => {
  const url = 'https://git.example.com/trawl.git';
  expect(readSiteSettings({ SITE_SOURCE_URL: url }).sourceUrl).toBe(url);
});

it('SITE_API_URL of the website may have a trailing slash', () => {
  expect(readSiteSettings({ SITE_API_URL: 'https://trawl.example.com/' }).apiUrl).toBe('https://trawl.example.com');
});

it.each(['info@localhost', 'info@192.168.1.5', 'info@[::1]'])('the website accepts %s as SITE_EMAIL', email => {
  expect(readSiteSettings({ ...ELSEWHERE, SITE_EMAIL: email }).email).toBe(email);
});

it('examples of the website use the platform’s URL from SITE_API_URL', () => {
  const env = { TRAWL_PUBLIC_URL: 'https://site.example.com/', SITE_API_URL: `${PLATFORM}/` };
  expect(readSiteSettings(env)).toMatchObject({ publicUrl: 'https://site.example.com', platformUrl: PLATFORM });
});

it.each(['/panel/login', 'https://trawl.example.com/panel/login'])('SITE_PANEL_URL may be %s', address => {
  expect(readSiteSettings({ SITE_PANEL_URL: address }).panelUrl).toBe(address);
});

it.each([
  ['SITE_API_URL', 'trawl.example.com'],
  ['SITE_API_URL', 'ftp://trawl.example.com'],
  ['SITE_EDIT_URL', '/edit'],
  ['SITE_PANEL_URL', 'banana'],
  ['SITE_PANEL_URL', '//elsewhere.example'],
  ['TRAWL_PUBLIC_URL', 'localhost:3000'],
  ['SITE_SERVICES', 'no'],
  ['SITE_SOURCE_URL', 'git@git.example.com:trawl.git'],
  ['SITE_EMAIL', 'info'],
  ['SITE_EMAIL', '"><b>@example.com'],
])('the website build rejects %s=%s, and the error names the setting', (name, value) => {
  expect(() => readSiteSettings({ ...ELSEWHERE, [name]: value })).toThrow(`${name} must be`);
});
