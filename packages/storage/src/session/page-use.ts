import type { OriginState, SessionCookie, SessionValue, StoredItem } from './session-value.js';

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
  createCDPSession(): Promise<DevTools>;
  evaluate(code: string): Promise<unknown>;
  evaluateOnNewDocument(code: string): Promise<{ identifier: string }>;
  removeScriptToEvaluateOnNewDocument(identifier: string): Promise<void>;
  setUserAgent(userAgent: string): Promise<void>;
  frames(): Frame[];
  mainFrame(): Frame;
  isClosed(): boolean;
}

/** Runs in a page. Sets the items of its origin that it does not have. */
const RESTORE = `(states => {
  const own = states.find(({ origin }) => origin === location.origin);
  if (!own) return;
  for (const storage of ['localStorage', 'sessionStorage']) {
    for (const { name, value } of own[storage]) {
      if (window[storage].getItem(name) === null) window[storage].setItem(name, value);
    }
  }
})`;

const restoring = (states: OriginState[]): string => `try { ${RESTORE}(${JSON.stringify(states)}); } catch {}`;

/** Runs in a page. Returns the items of its origin. */
const READ = `(() => {
  const items = storage => Object.keys(storage).map(name => ({ name, value: String(storage.getItem(name)) }));
  return { localStorage: items(localStorage), sessionStorage: items(sessionStorage) };
})()`;

/** The time in which a page has a session. */
export class PageUse {
  private constructor(
    private readonly page: BrowserPage,
    private readonly devTools: DevTools,
    private readonly origins: string[],
    private readonly script: string | undefined,
    readonly userAgent: string,
  ) {}

  /** Gives a page the cookies, the storage and the user agent. */
  static async begin(page: BrowserPage, { cookies, origins, userAgent }: SessionValue): Promise<PageUse> {
    if (userAgent !== null) await page.setUserAgent(userAgent);
    const devTools = await page.createCDPSession();
    if (cookies.length > 0) await devTools.send('Network.setCookies', { cookies: cookies.map(toBrowser) });
    const states = origins.filter(
      ({ localStorage, sessionStorage }) => localStorage.length + sessionStorage.length > 0,
    );
    let script: string | undefined;
    if (states.length > 0) {
      // In a new document this runs before any code of the site.
      script = (await page.evaluateOnNewDocument(restoring(states))).identifier;
      // The open document may have changed what this uses, so it gets only what its own origin may see.
      const own = states.filter(({ origin }) => origin === originOf(page.mainFrame()));
      if (own.length > 0) await page.evaluate(restoring(own));
    }
    const agent = userAgent ?? String(await page.evaluate('navigator.userAgent'));
    return new PageUse(
      page,
      devTools,
      origins.map(({ origin }) => origin),
      script,
      agent,
    );
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
      const items = (await frame.evaluate(READ).catch(() => null)) as Record<
        'localStorage' | 'sessionStorage',
        StoredItem[]
      > | null;
      if (items) origins.push({ origin, ...items });
    }
    const { cookies } = (await devTools.send('Network.getAllCookies')) as { cookies: BrowserCookie[] };
    if (this.script !== undefined) await page.removeScriptToEvaluateOnNewDocument(this.script);
    await devTools.detach();
    return { cookies: cookies.map(fromBrowser), origins };
  }
}

type BrowserCookie = Omit<SessionCookie, 'sameSite'> & { sameSite?: SessionCookie['sameSite'] };

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
