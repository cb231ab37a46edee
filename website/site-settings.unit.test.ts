import { readSiteSettings } from './site-settings';

it('a site that nothing was set for is served with its platform on this machine', () => {
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

it('the path of a page goes behind the address where it can be edited', () => {
  for (const address of ['https://git.example.com/edit/main', 'https://git.example.com/edit/main/']) {
    expect(readSiteSettings({ SITE_EDIT_URL: address }).editUrl).toBe('https://git.example.com/edit/main/');
  }
});

it('the operator is shown as it was entered, commas and all', () => {
  const operator = 'Morrow Data Ltd, 4 Quay Lane, Harbourton';
  expect(readSiteSettings({ SITE_OPERATOR: ` ${operator} ` }).operator).toBe(operator);
});

it.each([
  ['https://trawl.example.com', 'info@trawl.example.com'],
  ['http://localhost:3000', 'info@localhost'],
])('mail for a site at %s goes to %s unless told otherwise', (url, email) => {
  expect(readSiteSettings({ TRAWL_PUBLIC_URL: url }).email).toBe(email);
  expect(readSiteSettings({ TRAWL_PUBLIC_URL: url, SITE_EMAIL: 'hello@example.org' }).email).toBe('hello@example.org');
});

it('the forms of a site hosted elsewhere send to the address that was set, whose slash at the end does not matter', () => {
  expect(readSiteSettings({ SITE_API_URL: 'https://trawl.example.com/' }).apiUrl).toBe('https://trawl.example.com');
});

it.each(['info@localhost', 'info@192.168.1.5', 'info@[::1]'])('the default %s can be written down, too', email => {
  expect(readSiteSettings({ SITE_EMAIL: email }).email).toBe(email);
});

it('calls to copy go to the platform, wherever the site is', () => {
  const site = { TRAWL_PUBLIC_URL: 'https://site.example.com/' };
  expect(readSiteSettings(site).platformUrl).toBe('https://site.example.com');
  expect(readSiteSettings({ ...site, SITE_API_URL: 'https://trawl.example.com/' }).platformUrl).toBe(
    'https://trawl.example.com',
  );
});

it.each(['/panel/login', 'https://trawl.example.com/panel/login'])('signing in may be at %s', address => {
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
])('%s=%s fails the build and is named', (name, value) => {
  expect(() => readSiteSettings({ [name]: value })).toThrow(`${name} must be`);
});
