import { runInNewContext } from 'node:vm';
import type { BrowserPage } from '../src/index.js';
import type { SessionCookie } from '../src/session/session-value.js';

export type FakeCookie = Omit<SessionCookie, 'sameSite'>;

type SentCookie = Partial<FakeCookie> & { name: string; value: string; url?: string };

const METHODS = {
  getItem(this: Record<string, string>, name: string) {
    return Object.hasOwn(this, name) ? this[name] : null;
  },
  setItem(this: Record<string, string>, name: string, value: unknown) {
    this[name] = String(value);
  },
  removeItem(this: Record<string, string>, name: string) {
    delete this[name];
  },
  clear(this: Record<string, string>) {
    for (const name of Object.keys(this)) delete this[name];
  },
};

/** The storages of some origins. */
class Storages {
  readonly #of = new Map<string, Record<string, string>>();

  get(origin: string): Record<string, string> {
    const storage = this.#of.get(origin) ?? Object.create(METHODS);
    this.#of.set(origin, storage);
    return storage;
  }
}

/** A browser without a screen and without sites: what its pages share. */
export class FakeBrowser {
  cookies: FakeCookie[] = [];
  readonly local = new Storages();

  page(): FakePage {
    return new FakePage(this);
  }

  set({ url = '', ...sent }: SentCookie): void {
    const domain = sent.domain ?? new URL(url).hostname;
    const defaults = { path: '/', expires: -1, httpOnly: false, secure: false };
    const cookie = { ...defaults, ...sent, domain };
    this.delete(cookie);
    this.cookies.push(cookie);
  }

  delete({ name, domain, path }: Pick<FakeCookie, 'name' | 'domain' | 'path'>): void {
    this.cookies = this.cookies.filter(
      cookie => cookie.name !== name || cookie.domain !== domain || cookie.path !== path,
    );
  }

  get values(): Record<string, string> {
    return Object.fromEntries(this.cookies.map(({ name, value }) => [name, value]));
  }
}

/** A tab. Its documents run what a session sends, and scripts that a test writes in place of a site. */
export class FakePage implements BrowserPage {
  userAgent = 'Mozilla/5.0 (fake)';
  /** The code that `evaluate` has run. */
  readonly evaluated: string[] = [];
  readonly #session = new Storages();
  readonly #scripts = new Map<string, string>();
  #url = 'about:blank';

  constructor(readonly browser: FakeBrowser) {}

  goto(url: string, siteScript = ''): void {
    this.#url = url;
    for (const script of [...this.#scripts.values(), siteScript]) this.#run(script);
  }

  /** The items of `localStorage` and `sessionStorage` of the open document. */
  get items(): Record<string, string> {
    const { origin } = new URL(this.#url);
    return { ...this.browser.local.get(origin), ...this.#session.get(origin) };
  }

  async evaluate(code: string): Promise<unknown> {
    this.evaluated.push(code);
    return this.#run(code);
  }

  async evaluateOnNewDocument(code: string): Promise<{ identifier: string }> {
    const identifier = String(this.#scripts.size);
    this.#scripts.set(identifier, code);
    return { identifier };
  }

  async removeScriptToEvaluateOnNewDocument(identifier: string): Promise<void> {
    this.#scripts.delete(identifier);
  }

  async setUserAgent(userAgent: string): Promise<void> {
    this.userAgent = userAgent;
  }

  async createCDPSession() {
    const { browser } = this;
    return {
      async send(method: string, params: object = {}): Promise<unknown> {
        if (method === 'Network.getAllCookies') return { cookies: structuredClone(browser.cookies) };
        if (method === 'Network.deleteCookies') browser.delete(params as FakeCookie);
        else for (const cookie of (params as { cookies: SentCookie[] }).cookies) browser.set(cookie);
        return {};
      },
      async detach(): Promise<void> {},
    };
  }

  browserContext = (): object => this.browser;
  isClosed = (): boolean => false;
  mainFrame = () => ({ url: () => this.#url, evaluate: (code: string) => this.evaluate(code) });
  frames = () => [this.mainFrame()];

  #run(code: string): unknown {
    const { origin } = new URL(this.#url);
    const window = { localStorage: this.browser.local.get(origin), sessionStorage: this.#session.get(origin) };
    const globals = { window, ...window, location: { origin }, navigator: { userAgent: this.userAgent } };
    const result = JSON.stringify(runInNewContext(code, globals));
    return result === undefined ? undefined : JSON.parse(result);
  }
}
