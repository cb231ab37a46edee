import { CookieFileError, readCookieFile } from './cookie-files.js';

const SHOP = ['https://shop.example'];
const LATER = Math.floor(Date.now() / 1_000) + 86_400;
const NETSCAPE = [
  '# Netscape HTTP Cookie File',
  '',
  `#HttpOnly_.shop.example\tTRUE\t/\tTRUE\t${LATER}\ttoken\tabc\tdef`,
  'www.shop.example\tFALSE\t/a\tFALSE\t0\tlang\ten',
  'bank.example\tFALSE\t/\tTRUE\t0\ttoken\tsecret',
  'shop.example\tFALSE\t/\tTRUE\t1000\told\tgone',
].join('\r\n');
const token = {
  name: 'token',
  value: 'abc',
  domain: '.shop.example',
  path: '/',
  expires: LATER,
  httpOnly: true,
  secure: true,
  sameSite: 'None',
};

it('reads the Netscape format, and leaves out other sites and expired cookies', () => {
  expect(readCookieFile(NETSCAPE, SHOP, 'Mozilla/5.0')).toEqual({
    cookies: [
      { ...token, value: 'abc\tdef', sameSite: 'Lax' },
      {
        ...token,
        name: 'lang',
        value: 'en',
        domain: 'www.shop.example',
        path: '/a',
        expires: -1,
        httpOnly: false,
        secure: false,
        sameSite: 'Lax',
      },
    ],
    origins: [{ origin: 'https://shop.example', localStorage: [], sessionStorage: [] }],
    userAgent: 'Mozilla/5.0',
  });
});

it.each<[string, unknown]>([
  [
    'of an extension',
    [
      {
        ...token,
        expires: undefined,
        expirationDate: LATER + 0.5,
        hostOnly: false,
        domain: 'shop.example',
        sameSite: 'no_restriction',
        storeId: '0',
      },
    ],
  ],
  ['of Playwright', { cookies: [token], origins: [] }],
])('reads JSON %s', (_, sent) => {
  expect(readCookieFile(`\uFEFF${JSON.stringify(sent)}`, SHOP, null).cookies).toEqual([token]);
});

it('keeps a cookie for at most 400 days, as browsers do', () => {
  const [cookie] = readCookieFile(JSON.stringify([{ ...token, expires: 1e15 }]), SHOP, null).cookies;
  expect(Math.round(((cookie?.expires ?? 0) - Date.now() / 1_000) / 86_400)).toBe(400);
});

it('keeps storage and user agent of an exported session', () => {
  const state = { origin: 'https://shop.example', localStorage: [{ name: 'a', value: '1' }], sessionStorage: [] };
  const exported = { cookies: [], origins: [state, { ...state, origin: 'https://other.example' }], userAgent: 'own' };
  expect(readCookieFile(JSON.stringify(exported), SHOP, null)).toEqual({ ...exported, origins: [state] });
});

it.each<[string, string]>([
  ['{"a"', 'content begins like JSON, and is not'],
  ['{}', 'content must be a list of cookies'],
  ['[7]', 'content: cookie 1 must have'],
  ['[{"name":"a","value":{"__proto__":1},"domain":"shop.example"}]', 'content: cookie 1 must have'],
  ['hello', 'content: line 1 must have the seven fields'],
  ['', 'it has no cookie.'],
  ['bank.example\tFALSE\t/\tTRUE\t0\ttoken\tsecret', 'it has cookies of bank.example.'],
])('refuses %j with the reason', (content, message) => {
  expect(() => readCookieFile(content, SHOP, null)).toThrow(CookieFileError);
  expect(() => readCookieFile(content, SHOP, null)).toThrow(message);
});
