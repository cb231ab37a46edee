import { readSiteSettings } from './site-settings';

it('defaults to a site and platform on this machine', () => {
  expect(readSiteSettings({ SITE_API_URL: '', SITE_EMAIL: '', SITE_PANEL_URL: '', TRAWL_PUBLIC_URL: '' })).toEqual({
    publicUrl: 'http://localhost:3000',
    panelUrl: '/panel/login',
    apiUrl: '',
    platformUrl: 'http://localhost:3000',
    email: 'info@localhost',
    operator: '',
    editUrl: '',
  });
});

it('builds edit links from the prefix', () => {
  for (const address of ['https://git.example.com/edit/main', 'https://git.example.com/edit/main/']) {
    expect(readSiteSettings({ SITE_EDIT_URL: address }).editUrl).toBe('https://git.example.com/edit/main/');
  }
});

it('shows the operator unchanged', () => {
  const operator = 'Morrow Data Ltd, 4 Quay Lane, Harbourton';
  expect(readSiteSettings({ SITE_OPERATOR: ` ${operator} ` }).operator).toBe(operator);
});

it.each([
  ['https://trawl.example.com', 'info@trawl.example.com'],
  ['http://localhost:3000', 'info@localhost'],
])('derives the e-mail address for %s: %s', (url, email) => {
  expect(readSiteSettings({ TRAWL_PUBLIC_URL: url }).email).toBe(email);
  expect(readSiteSettings({ TRAWL_PUBLIC_URL: url, SITE_EMAIL: 'hello@example.org' }).email).toBe('hello@example.org');
});

it('accepts an API URL with or without a trailing slash', () => {
  expect(readSiteSettings({ SITE_API_URL: 'https://trawl.example.com/' }).apiUrl).toBe('https://trawl.example.com');
});

it.each(['info@localhost', 'info@192.168.1.5', 'info@[::1]'])('accepts the default %s as a setting', email => {
  expect(readSiteSettings({ SITE_EMAIL: email }).email).toBe(email);
});

it('uses the platform URL in examples', () => {
  const site = { TRAWL_PUBLIC_URL: 'https://site.example.com/' };
  expect(readSiteSettings(site).platformUrl).toBe('https://site.example.com');
  expect(readSiteSettings({ ...site, SITE_API_URL: 'https://trawl.example.com/' }).platformUrl).toBe(
    'https://trawl.example.com',
  );
});

it.each(['/panel/login', 'https://trawl.example.com/panel/login'])('accepts %s as the panel URL', address => {
  expect(readSiteSettings({ SITE_PANEL_URL: address }).panelUrl).toBe(address);
});

it.each([
  ['SITE_API_URL', 'trawl.example.com'],
  ['SITE_API_URL', 'ftp://trawl.example.com'],
  ['SITE_EDIT_URL', '/edit'],
  ['SITE_PANEL_URL', 'banana'],
  ['SITE_PANEL_URL', '//elsewhere.example'],
  ['TRAWL_PUBLIC_URL', 'localhost:3000'],
  ['SITE_EMAIL', 'info'],
  ['SITE_EMAIL', '"><b>@example.com'],
])('rejects %s=%s with the name of the setting', (name, value) => {
  expect(() => readSiteSettings({ [name]: value })).toThrow(`${name} must be`);
});
