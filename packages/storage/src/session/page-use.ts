import { belongsTo, hasItems, type OriginState, type SessionCookie, type SessionValue } from './session-value.js';

interface DevTools {
  send(method: string, params?: object): Promise<unknown>;
  detach(): Promise<void>;
}

interface Frame {
  url(): string;
  evaluate(code: string): Promise<unknown>;
}

/** The methods of a Puppeteer page that a session calls. */
export interface BrowserPage {
  browserContext(): object;
  createCDPSession(): Promise<DevTools>;
  evaluate(code: string): Promise<unknown>;
  evaluateOnNewDocument(code: string): Promise<{ identifier: string }>;
  removeScriptToEvaluateOnNewDocument(identifier: string): Promise<void>;
  setUserAgent(userAgent: string): Promise<void>;
  frames(): Frame[];
  mainFrame(): Frame;
  isClosed(): boolean;
}

/** The item of both storages that names the change of the session that they have, so that they get it only once. */
const MARK = 'trawl.session';

/**
 * Runs in a page. Gives its origin the items of the session: all, or those of `sessionStorage` that a new tab lacks. Pages of one
 * browser share `localStorage`, and only the first of them gives it the items: the site may have changed them since.
 */
const RESTORE = `((states, isNewer, mark) => {
  const own = states.find(({ origin }) => origin === location.origin);
  const before = sessionStorage.getItem('${MARK}');
  if (!own || before === mark) return;
  const isFirst = isNewer && localStorage.getItem('${MARK}') !== mark;
  const give = (name, isReplaced) => {
    const storage = window[name];
    if (isReplaced) storage.clear();
    for (const item of own[name]) {
      if (storage.getItem(item.name) === null) storage.setItem(item.name, item.value);
    }
    storage.setItem('${MARK}', mark);
  };
  if (isFirst) give('localStorage', true);
  give('sessionStorage', isFirst || (isNewer && before !== null));
})`;

/** Runs in a page. Returns the items of its origin. */
const READ = `(() => {
  const items = storage => Object.keys(storage)
    .filter(name => name !== '${MARK}')
    .map(name => ({ name, value: String(storage.getItem(name)) }));
  return { localStorage: items(localStorage), sessionStorage: items(sessionStorage) };
})()`;

/** The time in which a page has a session. */
export class PageUse {
  /** Cookies of later changes must not arrive before those of earlier ones. */
  #changing: Promise<void> = Promise.resolve();

  private constructor(
    private readonly page: BrowserPage,
    private readonly devTools: DevTools,
    private readonly origins: string[],
    private readonly script: string | undefined,
    /** The user agent that the page has. */
    readonly userAgent: unknown,
  ) {}

  /**
   * Gives a page the session.
   *
   * @param isNewer whether the browser has an older value of the session, or none, which the session then replaces
   * @param mark names this value, the same for all pages
   */
  static async begin(
    page: BrowserPage,
    { cookies, origins, userAgent }: SessionValue,
    { isNewer, mark }: { isNewer: boolean; mark: string },
  ): Promise<PageUse> {
    if (userAgent !== null) await page.setUserAgent(userAgent);
    const devTools = await page.createCDPSession();
    if (isNewer) {
      const hosts = origins.map(({ origin }) => new URL(origin).hostname);
      const own = (await cookiesOf(devTools)).filter(({ domain }) => hosts.some(host => belongsTo(domain, host)));
      await changeCookies(devTools, own, cookies);
    }
    const states = isNewer ? origins : origins.filter(hasItems);
    let script: string | undefined;
    if (states.length > 0) {
      const restoring = (some: OriginState[]) =>
        `try { ${RESTORE}(${JSON.stringify(some)}, ${isNewer}, ${JSON.stringify(mark)}); } catch {}`;
      // In a new document this runs before any code of the site.
      script = (await page.evaluateOnNewDocument(restoring(states))).identifier;
      // The open document may have changed what this uses, so it gets only what its own origin may see.
      const own = states.filter(({ origin }) => origin === originOf(page.mainFrame()));
      if (own.length > 0) await page.evaluate(restoring(own));
    }
    const agent = userAgent ?? (await page.evaluate('navigator.userAgent'));
    return new PageUse(
      page,
      devTools,
      origins.map(({ origin }) => origin),
      script,
      agent,
    );
  }

  /** Gives the browser what has changed in the cookies of the session. */
  changeCookies(before: readonly SessionCookie[], after: readonly SessionCookie[]): Promise<void> {
    this.#changing = this.#changing.catch(() => {}).then(() => changeCookies(this.devTools, before, after));
    return this.#changing;
  }

  /**
   * Reads what the page has now. Returns null if the page is closed.
   *
   * @param named origins to keep besides those of the session and of the page
   */
  async end(named: string[]): Promise<Pick<SessionValue, 'cookies' | 'origins'> | null> {
    const { page, devTools } = this;
    if (page.isClosed()) return null;
    const kept = new Set([...this.origins, ...named, originOf(page.mainFrame())]);
    kept.delete(null);
    const origins: OriginState[] = [];
    for (const frame of page.frames()) {
      const origin = originOf(frame);
      if (origin === null || !kept.delete(origin)) continue;
      const items = (await frame.evaluate(READ).catch(() => null)) as Omit<OriginState, 'origin'> | null;
      if (items) origins.push({ origin, ...items });
    }
    const cookies = await cookiesOf(devTools);
    if (this.script !== undefined) await page.removeScriptToEvaluateOnNewDocument(this.script);
    await devTools.detach();
    return { cookies, origins };
  }
}

type BrowserCookie = Omit<SessionCookie, 'sameSite'> & { sameSite?: SessionCookie['sameSite'] };

async function cookiesOf(devTools: DevTools): Promise<SessionCookie[]> {
  const { cookies } = (await devTools.send('Network.getAllCookies')) as { cookies: BrowserCookie[] };
  return cookies.map(fromBrowser);
}

const placeOf = ({ name, domain, path }: SessionCookie): string => JSON.stringify([name, domain, path]);

/** Replaces cookies of a browser by others. Leaves those alone that are in both. */
async function changeCookies(
  devTools: DevTools,
  before: readonly SessionCookie[],
  after: readonly SessionCookie[],
): Promise<void> {
  const known = new Map(before.map(cookie => [placeOf(cookie), JSON.stringify(cookie)]));
  const set = after.filter(cookie => known.get(placeOf(cookie)) !== JSON.stringify(cookie));
  const kept = new Set(after.map(placeOf));
  for (const cookie of before.filter(each => !kept.has(placeOf(each)))) {
    const { name, domain, path } = cookie;
    await devTools.send('Network.deleteCookies', { name, domain, path });
  }
  if (set.length > 0) await devTools.send('Network.setCookies', { cookies: set.map(toBrowser) });
}

/** Chromium takes a cookie for one host from a URL, and one for subdomains from a domain. */
function toBrowser({ domain, ...cookie }: SessionCookie): object {
  const host = domain.replace(/^\./, '');
  const place = domain.startsWith('.')
    ? { domain }
    : { url: `${cookie.secure ? 'https' : 'http'}://${host}${cookie.path}` };
  const { expires, ...kept } = cookie;
  return { ...kept, ...place, ...(expires === -1 ? {} : { expires }) };
}

const fromBrowser = ({
  name,
  value,
  domain,
  path,
  expires,
  httpOnly,
  secure,
  sameSite = 'Lax',
}: BrowserCookie): SessionCookie => {
  const end = expires < 0 ? -1 : Math.floor(expires);
  return { name, value, domain, path, expires: end, httpOnly, secure, sameSite };
};

function originOf(frame: Frame): string | null {
  const url = frame.url();
  return /^https?:/.test(url) && URL.canParse(url) ? new URL(url).origin : null;
}
