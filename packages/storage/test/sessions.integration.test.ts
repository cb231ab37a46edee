import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SiteSession, session } from '../src/index.js';
import { localPortIn, memoryPort } from '../src/local/local-port.js';
import { LocalSessions } from '../src/local/local-sessions.js';
import { decode, encode } from '../src/protocol/bson-documents.js';
import type { StorageRequest } from '../src/protocol/storage-request.js';
import { FakeBrowser } from './fake-browser.js';
import { describeSessions } from './session-contract.js';

const PORT = Symbol.for('trawl.storage');
const REDACT_SESSION = Symbol.for('trawl.redactSession');
const globals = globalThis as Record<symbol, unknown>;
const folder = mkdtempSync(join(tmpdir(), 'trawl-sessions-'));
const files = localPortIn(folder);

afterAll(() => {
  delete globals[PORT];
  files.close();
  rmSync(folder, { recursive: true });
});

describe.each([
  ['in local files', files],
  ['in memory', memoryPort()],
])('sessions %s', (_, { port }) => {
  beforeAll(() => {
    globals[PORT] = port;
  });
  describeSessions();
});

test('a session is a file that only its user can read, and a broken one is refused with its path', async () => {
  globals[PORT] = files.port;
  const shop = session('shop');
  await shop.setCookies(['token=abc'], 'https://shop.example');
  await shop.save();
  const path = join(folder, 'sessions', 'shop.json');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const { cookies } = JSON.parse(JSON.parse(readFileSync(path, 'utf8')).value);
  expect(cookies).toMatchObject([{ name: 'token', value: 'abc', domain: 'shop.example' }]);
  files.close();
  expect(await session('shop').cookieHeader('https://shop.example/')).toBe('token=abc');
  writeFileSync(path, '{');
  await expect(session('shop').cookieHeader('https://shop.example/')).rejects.toThrow(`${path} is no session.`);
});

test('cookies of a session that no save has stored are stored before the run ends', async () => {
  globals[PORT] = memoryPort().port;
  await session('left').setCookies(['token=abc'], 'https://shop.example');
  await (globals[Symbol.for('trawl.flushRows')] as () => Promise<void>)();
  expect(await session('left').cookieHeader('https://shop.example/')).toBe('token=abc');
});

test('a session leaves out cookies that no header can have, from a stored value, a page or an answer', async () => {
  const cookie = { domain: 'shop.example', path: '/', expires: -1, httpOnly: false, secure: false };
  const good = { ...cookie, name: 'token', value: 'a\tb' };
  const bad = [
    { value: 'a\r\nX-More: 1' },
    { value: 'a\0' },
    { value: 'a; b=1' },
    { value: 'a\x7f' },
    { name: 'b\n' },
    { name: 'b=c' },
    { path: '/\r\n' },
    { domain: 'a;b.shop.example' },
    { name: '', value: '' },
    { name: '', value: '__Secure-a' },
  ].map(more => ({ ...good, name: 'bad', ...more }));
  const cookies = [...bad, good].map(each => ({ ...each, sameSite: 'Lax' }));
  const { port } = memoryPort();
  globals[PORT] = port;
  const origins = [{ origin: 'https://shop.example', localStorage: [], sessionStorage: [] }];
  const value = JSON.stringify({ cookies, origins, userAgent: null });
  const args = encode({ value, version: null, new_version: 'first', holder: null }, '');
  await port({ collection: 'stored', method: 'saveSession', args });
  expect(await session('stored').cookieHeader('https://shop.example')).toBe('token=a\tb');
  const page = new FakeBrowser().page();
  const shop = session('of-a-page');
  await shop.use(page, () => {
    page.goto('https://shop.example');
    page.browser.cookies = [...bad, good];
  });
  await shop.setCookies(['bad=a\x7f', '=', '; Path=/', '__Host-a'], 'https://shop.example');
  expect(await shop.cookieHeader('https://shop.example')).toBe('token=a\tb');
});

test('a session keeps cookies without a name, and sends them as browsers do', async () => {
  globals[PORT] = memoryPort().port;
  const shop = session('nameless');
  await shop.setCookies(['=first; Path=/', 'second; Path=/account'], 'https://shop.example/');
  await shop.save();
  const page = new FakeBrowser().page();
  await session('nameless').use(page, () => {
    expect(page.browser.cookies).toMatchObject([
      { name: '', value: 'first' },
      { name: '', value: 'second' },
    ]);
    page.goto('https://shop.example');
  });
  expect(await session('nameless').cookieHeader('https://shop.example/account')).toBe('second; first');
});

describe('echoes must not contain', () => {
  const told: string[] = [];
  const setRun = (execution_id: string) => Object.assign(globalThis, { trawl: { execution_id } });
  beforeEach(() => {
    told.length = 0;
    globals[PORT] = memoryPort().port;
    globals[REDACT_SESSION] = (value: string) => told.push(value);
  });
  afterEach(() => {
    delete globals[REDACT_SESSION];
    Reflect.deleteProperty(globalThis, 'trawl');
  });

  test('a cookie from the moment an answer brings it, during a login, too', async () => {
    const shop = session('new');
    await shop.setCookies(['token=abc'], 'https://shop.example');
    expect(told).toEqual([expect.stringContaining('"value":"abc"')]);
    await shop.setCookies(['token=abc'], 'https://shop.example');
    await shop.save();
    expect(told).toHaveLength(1);
    await session('login').check(async login => {
      await login.setCookies(['token=def'], 'https://shop.example');
      expect(told.at(-1)).toContain('"value":"def"');
    });
  });

  test('what a page has, before anything is saved', async () => {
    await session('page').check(async login => {
      await login.use(new FakeBrowser().page(), page => {
        page.goto('https://shop.example', "localStorage.token = 'stored'");
        page.browser.set({ name: 'token', value: 'abc', domain: 'shop.example' });
      });
      expect(told.join()).toMatch(/"value":"abc".*"value":"stored"/);
    });
  });

  test('more than a session may have, unless the runner could not send it', async () => {
    await session('large').use(new FakeBrowser().page(), page => {
      jest.spyOn(console, 'warn').mockImplementation();
      page.goto('https://shop.example', "localStorage.token = 'x'.repeat(400_000)");
      page.browser.set({ name: 'token', value: 'abc', domain: 'shop.example' });
    });
    jest.restoreAllMocks();
    expect(told).toEqual([expect.stringContaining('"value":"abc"')]);
  });

  test('the values of a session that an earlier run of the process has opened', async () => {
    setRun('first');
    const shop = session('kept');
    await shop.setCookies(['token=abc'], 'https://shop.example');
    await shop.save();
    told.length = 0;
    setRun('second');
    expect(await shop.cookieHeader('https://shop.example')).toBe('token=abc');
    expect(told).toEqual([expect.stringContaining('"value":"abc"')]);
    await shop.cookieHeader('https://shop.example');
    expect(told).toHaveLength(1);
  });
});

describe('the lease of a login', () => {
  const timers = { doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'setTimeout', 'clearTimeout'] } as const;
  beforeEach(() => jest.useFakeTimers({ doNotFake: [...timers.doNotFake] }));
  afterEach(() => jest.useRealTimers());

  test('is renewed while the login takes long, and not after it', async () => {
    const methods: string[] = [];
    const { port } = memoryPort();
    globals[PORT] = (request: StorageRequest) => {
      methods.push(request.method);
      return port(request);
    };
    await session('slow').check(async slow => {
      methods.length = 0;
      jest.advanceTimersByTime(300_000);
      expect(methods).toEqual(['openSession', 'openSession', 'openSession']);
      await slow.setCookies(['token=abc'], 'https://shop.example');
    });
    methods.length = 0;
    jest.advanceTimersByTime(300_000);
    expect(methods).toEqual([]);
  });

  test('is not taken again by a renewal that takes longer than the login', async () => {
    const { port } = memoryPort();
    let arrive = () => {};
    const slow = new Promise<void>(resolve => {
      arrive = resolve;
    });
    let isRenewing = false;
    const methods: string[] = [];
    globals[PORT] = async (request: StorageRequest) => {
      if (isRenewing && request.method === 'openSession') {
        isRenewing = false;
        await slow;
      }
      methods.push(request.method);
      return port(request);
    };
    const checked = session('late').check(async late => {
      await late.setCookies(['token=abc'], 'https://shop.example');
      isRenewing = true;
      jest.advanceTimersByTime(100_000);
    });
    await new Promise(resolve => setImmediate(resolve));
    methods.length = 0;
    arrive();
    await checked;
    expect(methods).toEqual(['openSession', 'saveSession']);
    const sessions = await port({
      collection: 'late',
      method: 'openSession',
      args: encode({ version: null, holder: 'other' }, ''),
    });
    expect(decode((sessions as { result: Uint8Array }).result)).toMatchObject({ taken: true });
  });

  test('lasts longer for the holder that asks again', () => {
    const sessions = new LocalSessions(new Map());
    const open = (holder: string) => sessions.answer('shop', 'openSession', { version: null, holder });
    open('one');
    jest.setSystemTime(Date.now() + 200_000);
    open('one');
    jest.setSystemTime(Date.now() + 200_000);
    expect(open('two')).toMatchObject({ taken: false });
    jest.setSystemTime(Date.now() + 200_000);
    expect(open('two')).toMatchObject({ taken: true });
  });
});

test('a save that arrives again writes nothing', () => {
  const place = new Map();
  const set = jest.spyOn(place, 'set');
  const sessions = new LocalSessions(place);
  const save = { value: '{}', version: null, new_version: 'first', holder: null };
  expect([1, 2].map(() => sessions.answer('shop', 'saveSession', save))).toEqual([{ saved: true }, { saved: true }]);
  expect(set).toHaveBeenCalledTimes(1);
});

test.each<[object, number]>([
  [{}, 1],
  [{ maxAgeMs: 3_600_000 }, 2],
])('a renewed cookie moves the end of a session with the options %j', async (options, expected) => {
  globals[PORT] = memoryPort().port;
  const start = Date.now();
  const atMinute = (minute: number) => jest.spyOn(Date, 'now').mockReturnValue(start + minute * 60_000);
  let logins = 0;
  const cookie = () => [`token=${logins}; Max-Age=3600`];
  const logIn = (shop: SiteSession) => {
    logins += 1;
    return shop.setCookies(cookie(), 'https://shop.example');
  };
  try {
    const first = session('renewed', options);
    await first.check(logIn);
    atMinute(50);
    await first.setCookies(cookie(), 'https://shop.example');
    await first.save();
    atMinute(70);
    await session('renewed').check(logIn);
    expect(logins).toBe(expected);
    atMinute(131);
    await session('renewed').check(logIn);
    expect(logins).toBe(expected + 1);
  } finally {
    jest.restoreAllMocks();
  }
});
