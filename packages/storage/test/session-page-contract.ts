import { type SiteSession, session } from '../src/index.js';
import { FakeBrowser, type FakePage } from './fake-browser.js';

const SHOP = 'https://shop.example';

/** Describes what skripts may rely on when a page has a session. */
export function describeSessionPages(newName: () => string): void {
  let name = '';
  let warnings: string[] = [];
  beforeEach(() => {
    name = newName();
    warnings = [];
    jest.spyOn(console, 'warn').mockImplementation(text => warnings.push(text));
  });
  afterEach(() => jest.restoreAllMocks());

  /** Logs in by a page of another run, with items and a cookie. */
  const logIn = (token: string): Promise<FakePage> =>
    session(name).use(new FakeBrowser().page(), page => {
      page.goto(
        SHOP,
        `localStorage.clear(); localStorage.setItem('token', '${token}'); sessionStorage.tab = '${token}'`,
      );
      page.browser.set({ name: token, value: 'yes', domain: '.shop.example' });
      return page;
    });
  /** Returns the items and cookies that a page of another run gets. */
  const found = (): Promise<object> =>
    session(name).use(new FakeBrowser().page(), page => {
      page.goto(SHOP);
      return { ...page.items, ...page.browser.values };
    });
  const set = (page: FakePage, value: string) => page.goto(SHOP, `localStorage.setItem('token', '${value}')`);

  test('a page has the items and cookies of a session, which another page has changed', async () => {
    await logIn('one');
    expect(await found()).toMatchObject({ token: 'one', tab: 'one', one: 'yes' });
  });

  test('a page with an older login gets the newer one in place of it', async () => {
    const own = session(name);
    const page = new FakeBrowser().page();
    await own.use(page, () => {
      page.goto(SHOP, "localStorage.token = localStorage.left = 'old'");
      page.browser.set({ name: 'old', value: 'yes', domain: 'shop.example' });
      page.browser.set({ name: 'other', value: 'site', domain: 'other.example' });
    });
    const newer = session(name);
    await newer.use(new FakeBrowser().page(), newest => {
      newest.goto(SHOP, "localStorage.clear(); localStorage.token = 'new'");
      newest.browser.cookies = [];
      newest.browser.set({ name: 'new', value: 'yes', domain: 'shop.example' });
    });
    await own.use(page, () => {
      page.goto(SHOP);
      expect([page.items, page.browser.values]).toMatchObject([{ token: 'new' }, { new: 'yes', other: 'site' }]);
      expect({ ...page.items, ...page.browser.values }).not.toHaveProperty('left');
      expect(page.browser.values).not.toHaveProperty('old');
    });
    expect(await found()).toMatchObject({ token: 'new', new: 'yes' });
  });

  test('what a site removes stays removed when the page goes to its next address', async () => {
    await logIn('one');
    await session(name).use(new FakeBrowser().page(), page => {
      page.goto(SHOP, 'localStorage.clear()');
      page.goto(`${SHOP}/next`);
      expect(page.items).not.toHaveProperty('token');
    });
    expect(await found()).not.toHaveProperty('token');
  });

  test('a page does not save over what another browser has changed since it got the session', async () => {
    await logIn('one');
    const own = session(name);
    await own.use(new FakeBrowser().page(), async page => {
      set(page, 'first');
      await own.use(new FakeBrowser().page(), other => set(other, 'newer'));
      set(page, 'older');
    });
    expect(warnings).toEqual([expect.stringContaining(`The session ${name} does not keep what a page has changed`)]);
    expect(await found()).toMatchObject({ token: 'newer' });
  });

  test('two pages of one browser both save what they have changed', async () => {
    await logIn('one');
    const own = session(name);
    const browser = new FakeBrowser();
    await own.use(browser.page(), async page => {
      page.goto(SHOP);
      await own.use(browser.page(), other => {
        other.goto(SHOP);
        expect(other.items).toMatchObject({ token: 'one', tab: 'one' });
        browser.set({ name: 'second', value: 'yes', domain: 'shop.example' });
      });
      set(page, 'two');
    });
    expect(await found()).toMatchObject({ token: 'two', second: 'yes' });
    expect(warnings).toEqual([]);
  });

  test('a site that empties a storage of its tab keeps what it has changed since', async () => {
    await logIn('one');
    await session(name).use(new FakeBrowser().page(), page => {
      page.goto(SHOP, "localStorage.setItem('token', 'renewed'); sessionStorage.clear(); sessionStorage.tab = 'newer'");
      page.goto(`${SHOP}/next`);
      expect(page.items).toMatchObject({ token: 'renewed', tab: 'newer' });
    });
    expect(await found()).toMatchObject({ token: 'renewed', tab: 'newer' });
  });

  test('a page that gets the session beside another one leaves alone what that one has changed', async () => {
    await logIn('one');
    const own = session(name);
    const browser = new FakeBrowser();
    let tell = () => {};
    const isChanged = new Promise<void>(resolve => {
      tell = resolve;
    });
    const change = (page: FakePage) => {
      set(page, 'newer');
      tell();
    };
    const visit = async (page: FakePage) => {
      await isChanged;
      page.goto(SHOP);
    };
    await Promise.all([own.use(browser.page(), change), own.use(browser.page(), visit)]);
    expect(await found()).toMatchObject({ token: 'newer' });
  });

  test('pages of one browser that end at the same time save all that they have changed', async () => {
    await logIn('one');
    const own = session(name);
    const browser = new FakeBrowser();
    const add = (cookie: string) =>
      own.use(browser.page(), () => browser.set({ name: cookie, value: 'yes', domain: 'shop.example' }));
    await Promise.all(['second', 'third', 'fourth'].map(add));
    expect(await found()).toMatchObject({ second: 'yes', third: 'yes', fourth: 'yes' });
    expect(warnings).toEqual([]);
  });

  test('a page of before a login does not give its old cookies to the new one', async () => {
    await logIn('old');
    const own = session(name);
    await own.use(new FakeBrowser().page(), async page => {
      page.goto(SHOP);
      page.browser.set({ name: 'late', value: 'yes', domain: 'shop.example' });
      const isLoggedIn = async (shop: SiteSession) => (await shop.cookieHeader(SHOP)) === 'new=yes';
      await own.check(shop => shop.setCookies(['new=yes'], SHOP), { isLoggedIn });
    });
    expect(await found()).toEqual({ new: 'yes', 'trawl.session': expect.any(String) });
  });

  test('a page gets the cookies that fetch gets meanwhile, and they stay', async () => {
    await logIn('one');
    const own = session(name);
    await own.use(new FakeBrowser().page(), async page => {
      await own.setCookies(['fetched=yes; Path=/', 'one=; Domain=shop.example; Path=/; Max-Age=0'], SHOP);
      expect(page.browser.values).toEqual({ fetched: 'yes' });
    });
    expect(await found()).toMatchObject({ fetched: 'yes' });
    expect(await found()).not.toHaveProperty('one');
  });

  test('a page gets the cookies that arrive while it gets the session, and its own changes are kept', async () => {
    await logIn('one');
    const own = session(name);
    const page = new FakeBrowser().page();
    // The page is slow: meanwhile fetch gets cookies.
    const slow = page.setUserAgent.bind(page);
    page.setUserAgent = async userAgent => {
      await slow(userAgent);
      await own.setCookies(['fetched=yes; Path=/', 'one=; Domain=shop.example; Path=/; Max-Age=0'], SHOP);
    };
    await own.use(page, () => {
      expect(page.browser.values).toEqual({ fetched: 'yes' });
      set(page, 'changed');
    });
    expect(warnings).toEqual([]);
    const later = await found();
    expect(later).toMatchObject({ token: 'changed', fetched: 'yes' });
    expect(later).not.toHaveProperty('one');
  });

  test('a cookie without an end ends with each browser, and none lasts longer than 400 days', async () => {
    const own = session(name);
    await own.setCookies(
      ['short=1', 'long=1; Max-Age=315360000000', 'year=1; Expires=Fri, 31 Dec 9999 23:59:59 GMT'],
      SHOP,
    );
    await own.save();
    const browser = new FakeBrowser();
    await session(name).use(browser.page(), () => {});
    const days = ({ expires }: { expires: number }) =>
      expires === -1 ? 'none' : Math.round((expires - Date.now() / 1_000) / 86_400);
    expect(browser.cookies.map(cookie => [cookie.name, days(cookie)])).toEqual([
      ['short', 'none'],
      ['long', 400],
      ['year', 400],
    ]);
  });

  test('a save that fails changes neither the result nor the error of the function, and is a warning', async () => {
    const own = session(name);
    const tooLarge = (page: FakePage) => page.goto(SHOP, "localStorage.large = 'x'.repeat(400000)");
    const result = await own.use(new FakeBrowser().page(), page => {
      tooLarge(page);
      return 'result';
    });
    expect(result).toBe('result');
    const failing = own.use(new FakeBrowser().page(), page => {
      tooLarge(page);
      throw new Error('of the function');
    });
    await expect(failing).rejects.toThrow('of the function');
    expect(warnings).toEqual(Array(2).fill(expect.stringMatching(/was not saved: .*the limit is 393216/)));
  });

  test('a site that is open does not see the storage of other origins', async () => {
    await logIn('of-the-shop');
    const page = new FakeBrowser().page();
    page.goto('https://other.example');
    await session(name, { origins: ['https://other.example'] }).use(page, () => {
      page.goto('https://other.example/next');
      expect(page.items).not.toHaveProperty('token');
    });
    expect(page.evaluated.length).toBeGreaterThan(0);
    expect(page.evaluated.join()).not.toContain('of-the-shop');
  });

  test('a user agent that no request can have is not kept', async () => {
    const page = new FakeBrowser().page();
    page.userAgent = 'a\0b';
    const own = session(name);
    await own.use(page, () => page.goto(SHOP, "localStorage.token = 'one'"));
    expect([own.userAgent, warnings]).toEqual([null, []]);
    expect(await found()).toMatchObject({ token: 'one' });
  });
}
