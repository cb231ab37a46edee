import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type SiteSession, session } from '../src/index.js';
import { FakeBrowser } from './fake-browser.js';
import { describeSessionPages } from './session-page-contract.js';

/** A shop whose pages need a login. */
class Shop {
  readonly #server: Server;
  /** The tokens of logins that the shop knows. */
  readonly known = new Set<string>();
  logins = 0;
  /** User agents of the calls, in order. */
  readonly agents: (string | undefined)[] = [];
  /** The cookies that its other host got. */
  readonly cookiesElsewhere: (string | undefined)[] = [];

  constructor() {
    this.#server = createServer((request, response) => {
      this.agents.push(request.headers['user-agent']);
      const token = /(?:^|; )token=([^;]+)/.exec(request.headers.cookie ?? '')?.[1];
      if (request.url === '/login' && request.method === 'POST') {
        this.logins += 1;
        const added = `token-${randomUUID()}`;
        this.known.add(added);
        response.setHeader('set-cookie', [
          `token=${added}; HttpOnly; Path=/; Max-Age=3600`,
          'other=1; Domain=other.example',
        ]);
        response.writeHead(302, { location: '/account' }).end();
      } else if (request.url === '/renew') {
        const renewed = `token-${randomUUID()}`;
        this.known.delete(token ?? '');
        this.known.add(renewed);
        response.setHeader('set-cookie', `token=${renewed}; HttpOnly; Path=/; Max-Age=3600`);
        response.end('renewed');
      } else if (request.url === '/greet') {
        response.setHeader('set-cookie', Buffer.from('grüße=an Ähre à; Path=/').toString('latin1')).end();
      } else if (request.url === '/cookies') {
        response.end(Buffer.from(request.headers.cookie ?? '', 'latin1'));
      } else if (request.url === '/away') {
        response.writeHead(302, { location: `${this.url.replace('127.0.0.1', 'localhost')}/elsewhere` }).end();
      } else if (request.url === '/elsewhere') {
        this.cookiesElsewhere.push(request.headers.cookie);
        response.setHeader('set-cookie', 'visitor=1; Path=/').end('elsewhere');
      } else if (token !== undefined && this.known.has(token)) response.end(`${request.method} welcome`);
      else response.writeHead(401).end('Log in first.');
    });
  }

  async open(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  logIn = async (shop: SiteSession): Promise<void> => {
    const answer = await shop.fetch(`${this.url}/login`, { method: 'POST', body: 'name=ada' });
    expect([answer.status, await answer.text()]).toEqual([200, 'GET welcome']);
  };

  isLoggedIn = async (shop: SiteSession): Promise<boolean> => (await shop.fetch(`${this.url}/account`)).ok;
}

/** Describes what skripts may rely on, whether their sessions are on the platform, in files or in memory. */
export function describeSessions(): void {
  const shop = new Shop();
  let name = '';
  beforeAll(() => shop.open());
  afterAll(() => shop.close());
  beforeEach(() => {
    name = `shop-${randomUUID()}`;
    shop.logins = 0;
  });
  const failure = (call: Promise<unknown>): Promise<unknown> =>
    call.then(
      () => 'done',
      ({ name: kind, code, message }) => [code ?? kind, message],
    );

  test('three runs at once log in once, and all have the login', async () => {
    const sessions = [session(name), session(name), session(name)];
    await Promise.all(sessions.map(each => each.check(shop.logIn)));
    expect(shop.logins).toBe(1);
    for (const each of sessions) expect((await each.fetch(`${shop.url}/account`)).status).toBe(200);
  });

  test('a login that the site has forgotten is made again, once for all runs that wait', async () => {
    await session(name).check(shop.logIn, { isLoggedIn: shop.isLoggedIn });
    await session(name).check(shop.logIn, { isLoggedIn: shop.isLoggedIn });
    expect(shop.logins).toBe(1);
    shop.known.clear();
    await Promise.all([1, 2, 3].map(() => session(name).check(shop.logIn, { isLoggedIn: shop.isLoggedIn })));
    expect(shop.logins).toBe(2);
  });

  test('cookies of pages and answers are sent in UTF-8', async () => {
    const greeted = session(name);
    const page = new FakeBrowser().page();
    await greeted.use(page, async () => {
      page.browser.set({ name: 'tok', value: '中文abcdef', domain: '127.0.0.1' });
      page.goto(shop.url);
    });
    expect(await (await greeted.fetch(`${shop.url}/cookies`)).text()).toBe('tok=中文abcdef');
    await greeted.fetch(`${shop.url}/greet`);
    await greeted.save();
    const next = session(name);
    expect(await (await next.fetch(`${shop.url}/cookies`)).text()).toBe('tok=中文abcdef; grüße=an Ähre à');
    await next.use(new FakeBrowser().page(), ({ browser }) => {
      expect(browser.values).toEqual({ tok: '中文abcdef', grüße: 'an Ähre à' });
    });
    await next.setCookies(['tok=文'], shop.url);
    expect(await (await next.fetch(`${shop.url}/cookies`)).text()).toBe('tok=文; grüße=an Ähre à');
  });

  test('calls of check on the same session do not log in twice', async () => {
    const once = session(name);
    await Promise.all([once.check(shop.logIn), once.check(shop.logIn)]);
    expect(shop.logins).toBe(1);
  });

  test('a login that fails leaves the earlier value, and lets the next run log in', async () => {
    const failing = session(name).check(() => {
      throw new Error('wrong password');
    });
    expect(await failure(failing)).toEqual(['Error', 'wrong password']);
    expect(await failure(session(name).check(() => {}))).toEqual([
      'Error',
      `session('${name}').check: the login left no cookie and no storage in the session. Log in with session.fetch or session.use.`,
    ]);
    const isLoggedIn = () => false;
    expect(await failure(session(name).check(shop.logIn, { isLoggedIn }))).toEqual([
      'Error',
      `session('${name}').check: isLoggedIn is false right after the login. Check the login.`,
    ]);
    await session(name).check(shop.logIn);
    expect(shop.logins).toBe(2);
  });

  test('a cookie that a site renews is saved, and an older one of another run does not replace it', async () => {
    const [first, second] = [session(name), session(name)];
    await first.check(shop.logIn);
    await second.check(shop.logIn);
    await first.fetch(`${shop.url}/renew`);
    await second.fetch(`${shop.url}/account`);
    await first.save();
    await second.fetch(`${shop.url}/renew`);
    await second.save();
    const { status } = await session(name).fetch(`${shop.url}/account`);
    expect([status, shop.logins]).toEqual([200, 1]);
  });

  test('a cookie that a site renews while another run logs in is saved after a login that fails', async () => {
    const [first, second] = [session(name), session(name)];
    await first.check(shop.logIn);
    await second.check(shop.logIn);
    await first.fetch(`${shop.url}/renew`);
    let saving: Promise<void> | undefined;
    const isLoggedIn = () => saving !== undefined;
    const failing = second.check(
      async () => {
        saving = first.save();
        // The call of `save` arrives before this one is answered.
        await session(name).cookieHeader(shop.url);
        throw new Error('wrong password');
      },
      { isLoggedIn },
    );
    expect(await failure(failing)).toEqual(['Error', 'wrong password']);
    await saving;
    expect((await session(name).fetch(`${shop.url}/account`)).status).toBe(200);
  });

  test('a session expires after maxAgeMs', async () => {
    await session(name, { maxAgeMs: 1 }).check(shop.logIn);
    for (const sinceMs = Date.now(); Date.now() <= sinceMs + 1; ); // a fast machine needs less
    await session(name, { maxAgeMs: 3_600_000 }).check(shop.logIn);
    await session(name).check(shop.logIn);
    expect(shop.logins).toBe(2);
  });

  test.each<[string, (own: SiteSession) => Promise<unknown>]>([
    ['fetch', own => own.fetch('ftp://shop.example/')],
    ['fetch', own => own.fetch('/orders')],
    ['setCookies', own => own.setCookies(['a=1'], 'file:///etc/passwd')],
    ['cookieHeader', own => own.cookieHeader('data:text/html,hello')],
  ])('%s refuses an address that is none of a site, and the session can be saved', async (method, act) => {
    const own = session(name);
    expect(await failure(act(own))).toEqual([
      'TypeError',
      expect.stringMatching(new RegExp(`^session\\('${name}'\\).${method}: expected an address such as`)),
    ]);
    await own.setCookies(['token=abc'], 'https://shop.example');
    await own.save();
    expect(await session(name).cookieHeader('https://shop.example')).toBe('token=abc');
  });

  test('a session sends its user agent, and is a cookie jar for other clients', async () => {
    const shared = session(name, { userAgent: 'Mozilla/5.0 (test)' });
    await shared.check(shop.logIn);
    expect(shop.agents.at(-1)).toBe('Mozilla/5.0 (test)');
    const answer = await fetch(`${shop.url}/renew`, { headers: { cookie: await shared.cookieHeader(shop.url) } });
    await shared.setCookies(answer.headers.getSetCookie(), shop.url);
    expect((await shared.fetch(`${shop.url}/account`)).status).toBe(200);
  });

  test.each<[unknown, object, string]>([
    ['__proto__', {}, 'expected a name of 1 to 100 letters'],
    ['../etc/passwd', {}, 'expected a name of 1 to 100 letters'],
    ['x'.repeat(101), {}, 'expected a name of 1 to 100 letters'],
    [7, {}, 'you sent 7'],
    ['shop', { origins: ['https://shop.example/path'] }, '`origins` must be a list of origins'],
    ['shop', { userAgent: 'a\r\nb' }, '`userAgent` must be'],
    ['shop', { userAgent: 'a\0b' }, '`userAgent` must be'],
    ['shop', { maxAgeMs: -1 }, '`maxAgeMs` must be'],
    ['shop', { maxAgeMs: 1e12 }, 'which are 400 days; you sent 1000000000000'],
  ])('session(%p, %p) throws an error that says what is expected', (sent, options, message) => {
    expect(() => session(sent as string, options)).toThrow(message);
  });

  test('another host to which a site redirects gets only the cookies that it has set itself', async () => {
    const own = session(name);
    await own.check(shop.logIn);
    for (const _ of [1, 2]) expect(await (await own.fetch(`${shop.url}/away`)).text()).toBe('elsewhere');
    expect(shop.cookiesElsewhere).toEqual([undefined, 'visitor=1']);
    expect(await own.cookieHeader(shop.url)).toMatch(/^token=[^;]+$/);
  });

  test('only addresses that set cookies count as a site of the session, and more than 50 are refused', async () => {
    const many = session(name);
    const addresses = Array.from({ length: 51 }, (_, n) => `https://shop${n}.example`);
    for (const address of addresses) await many.setCookies([], address);
    await many.setCookies(['token=abc'], shop.url);
    await many.save();
    for (const address of addresses) await many.setCookies(['token=abc'], address);
    expect(await failure(many.save())).toEqual([
      'storage_too_large',
      expect.stringContaining(
        'cookies and storage of 52 origins; the limit is 50. Use it only for the site of the login.',
      ),
    ]);
  });

  test('cookies for other sites are not kept, and a value that is too large is refused', async () => {
    const large = session(name);
    await large.check(shop.logIn);
    const cookies = Array.from({ length: 150 }, (_, n) => `c${n}=${'x'.repeat(3_900)}; Path=/`);
    await large.setCookies([...cookies, 'stranger=1; Domain=stranger.example'], shop.url);
    expect(await large.cookieHeader('https://stranger.example/')).toBe('');
    expect(await failure(large.save())).toEqual([
      'storage_too_large',
      expect.stringMatching(/the cookies and storage are \d+ bytes as JSON; the limit is 393216\./),
    ]);
    expect((await session(name).fetch(`${shop.url}/account`)).status).toBe(200);
  });

  describe('in pages', () => describeSessionPages(() => `shop-${randomUUID()}`));
}
