import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { checkOptions } from '../check-options.js';
import { encode } from '../protocol/bson-documents.js';
import { send } from '../storage-port.js';
import { thisRun } from '../this-run.js';
import { forgetChanges, saveBeforeEnd, saveOrWarn } from './changed-sessions.js';
import { SessionCookies } from './cookies.js';
import { LeaseRenewal } from './lease-renewal.js';
import { type BrowserPage, PageUse } from './page-use.js';
import { followed } from './redirect.js';
import { addressOf, checkSession, isUserAgent, type SessionOptions } from './session-options.js';
import {
  belongsTo,
  encodeValue,
  isEmpty,
  isOver,
  type Opened,
  type OriginState,
  type SessionCookie,
  type SessionValue,
} from './session-value.js';
import { redactInEchoes, tellRunner } from './tell-runner.js';

export type { BrowserPage };

const MAX_REDIRECTS = 20;
/** How often a run asks whether another run has logged in. */
const [FIRST_WAIT_MS, MAX_WAIT_MS] = [200, 2_000];
/** How often a run saves its value while another run logs in: for about ten seconds. */
const SAVE_ATTEMPTS = 8;

export interface CheckOptions {
  /** Whether the site still knows the login. Without it, `check` logs in if there is no login, or if it has expired. */
  isLoggedIn?(session: SiteSession): boolean | Promise<boolean>;
}

/** Options of `fetch`. A body that can be read only once cannot follow a redirect. */
export type FetchOptions = Omit<RequestInit, 'headers'> & { headers?: ConstructorParameters<typeof Headers>[0] };

/**
 * A login to a site: cookies, local and session storage of its origins, and the user agent to which they belong. It can be
 * the `cookieJar` of an HttpClient.
 */
export class SiteSession {
  readonly #maxAgeMs: number | undefined;
  /** Tells this object from others with the same name, also in the same run. */
  readonly #holder = randomUUID();
  readonly #cookies = new SessionCookies();
  readonly #named: string[];
  readonly #origins = new Map<string, OriginState>();
  #userAgent: string | null;
  readonly #namedUserAgent: string | null;
  /** Seconds since 1970 after which runs log in again. */
  #expires: number | undefined;
  /** Version and JSON text of the value that the platform has; null before the first call. */
  #stored: { version: string | null; text: string } | null = null;
  /** Id of the run that last got the value: a process may run a skript again, with the same object. */
  #run = '';
  /** Counts the changes of the value. */
  #changes = 0;
  /** For each browser context that has got the session, the change that it has. */
  readonly #given = new WeakMap<object, number>();
  /** The uses of pages that have not ended. */
  readonly #uses = new Map<PageUse, object>();
  /** The uses that are beginning, each with the change that its page has when only cookies have changed since. */
  readonly #beginnings = new Set<{ changes: number }>();
  #isLoggingIn = false;
  #loading: Promise<unknown> | undefined;
  #checking: Promise<void> = Promise.resolve();
  #saving: Promise<void> = Promise.resolve();

  /** @throws TypeError if the name or an option is not valid */
  constructor(
    readonly name: string,
    options: SessionOptions,
  ) {
    checkSession(name, options);
    const { origins = [], userAgent = null, maxAgeMs } = options;
    this.#named = origins;
    this.#namedUserAgent = userAgent;
    this.#userAgent = userAgent;
    this.#maxAgeMs = maxAgeMs;
    for (const origin of origins) this.#originOf(origin);
  }

  /** The user agent to which the login belongs, when it is known. */
  get userAgent(): string | null {
    return this.#userAgent;
  }

  /**
   * Makes sure that the session is logged in. If several runs wait for a login, one of them calls `logIn`, and the others
   * get its result. `logIn` uses this session, which is then empty.
   *
   * @throws what `logIn` throws; Error if the login leaves nothing in the session; StorageError
   */
  check(logIn: (session: SiteSession) => unknown, options: CheckOptions = {}): Promise<void> {
    if (typeof logIn !== 'function') {
      throw new TypeError(`session('${this.name}').check: expected a function that logs in.`);
    }
    checkOptions(options, `session('${this.name}').check`, '{ isLoggedIn }');
    const checked = this.#checking.then(() => this.#check(logIn, options));
    this.#checking = checked.catch(() => {});
    return checked;
  }

  /**
   * Does what `fetch` does, with the cookies and the user agent of the session. Keeps the cookies of all answers, which also
   * the pages get that have the session.
   */
  async fetch(url: string | URL, init: FetchOptions = {}): Promise<Response> {
    checkOptions(init, `session('${this.name}').fetch`, "{ method: 'POST' }");
    const begin = addressOf(url, `session('${this.name}').fetch`);
    await this.#load();
    const { redirect = 'follow', ...options } = init;
    let call = { ...options, url: begin, headers: new Headers(init.headers), method: init.method ?? 'GET' };
    this.#originOf(call.url.origin);
    for (let redirects = 0; ; redirects++) {
      const headers = new Headers(call.headers);
      const cookies = this.#cookies.header(call.url.href);
      if (cookies && !headers.has('cookie')) headers.set('cookie', cookies);
      if (this.#userAgent && !headers.has('user-agent')) headers.set('user-agent', this.#userAgent);
      const { url: address, ...sent } = call;
      const response = await fetch(address, { ...sent, headers, redirect: 'manual' });
      await this.#keepCookies(response.headers.getSetCookie(), address);
      const next = redirect === 'manual' ? null : followed(call, response);
      if (!next) return response;
      await response.body?.cancel();
      if (redirect === 'error' || redirects >= MAX_REDIRECTS) {
        const why =
          redirect === 'error' ? 'a redirect that `redirect: error` forbids' : `more than ${MAX_REDIRECTS} redirects`;
        throw new TypeError(`session('${this.name}').fetch: ${begin.href} answered with ${why}.`);
      }
      call = next;
    }
  }

  /**
   * Gives a page of Puppeteer the session while `work` uses it: cookies, storage and user agent. Then takes over from the
   * page what has changed, and saves it. Warns if it cannot. If the session has a newer value by then, of another browser
   * or run, that value stays.
   *
   * @returns what `work` returns
   */
  async use<Page extends BrowserPage, Result>(page: Page, work: (page: Page) => Result): Promise<Awaited<Result>> {
    if (this.#stored === null) await this.#load();
    // Another run may have a newer login.
    else if (!this.#isLoggingIn) await this.#open(null);
    const context = page.browserContext();
    const value = this.#value();
    const changes = this.#changes;
    const isNewer = !isEmpty(value) && this.#given.get(context) !== changes;
    const beginning = { changes };
    this.#beginnings.add(beginning);
    const use = await PageUse.begin(page, value, { isNewer, mark: `${this.#holder} ${changes}` }).catch(error => {
      this.#beginnings.delete(beginning);
      throw error;
    });
    this.#beginnings.delete(beginning);
    this.#given.set(context, beginning.changes);
    this.#uses.set(use, context);
    // Cookies may have arrived meanwhile.
    if (beginning.changes === this.#changes) await use.changeCookies(value.cookies, this.#value().cookies);
    if (isUserAgent(use.userAgent)) this.#userAgent = use.userAgent;
    try {
      return await work(page);
    } finally {
      await this.#takeOver(use, context);
      if (!this.#isLoggingIn) await saveOrWarn(this);
    }
  }

  /** Saves what has changed. The run does so too before it ends. If another run has saved since, its value stays. */
  save(): Promise<void> {
    const saved = this.#saving.then(() => this.#saveChanges());
    this.#saving = saved.catch(() => {});
    return saved;
  }

  async #saveChanges(): Promise<void> {
    forgetChanges(this);
    if (this.#stored === null || this.#isLoggingIn) return;
    if (JSON.stringify(this.#value()) === this.#stored.text) return;
    const { version } = this.#stored;
    for (let attempt = 1; !(await this.#save(null)); attempt++) {
      // Another run that has saved since has the newer value. One that only logs in gives its lease back.
      const { version: current } = await this.#call<Opened>('openSession', { version, holder: null });
      if (current === version && attempt < SAVE_ATTEMPTS) {
        await delay(Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), MAX_WAIT_MS));
        continue;
      }
      console.warn(`The session ${this.name} was not saved: another run has saved it, or logs in.`);
      return;
    }
  }

  /** Returns the Cookie header for a request, for an HttpClient. */
  async cookieHeader(url: string | URL): Promise<string> {
    const address = addressOf(url, `session('${this.name}').cookieHeader`);
    await this.#load();
    return this.#cookies.header(address.href);
  }

  /** Keeps the cookies of an answer, for an HttpClient. */
  async setCookies(setCookies: readonly string[], url: string | URL): Promise<void> {
    const address = addressOf(url, `session('${this.name}').setCookies`);
    if (setCookies.length === 0) return;
    await this.#load();
    this.#originOf(address.origin);
    await this.#keepCookies(setCookies, address);
  }

  /** Takes over what a page has, unless the session has changed since the browser of the page got it. */
  async #takeOver(use: PageUse, context: object): Promise<void> {
    // A browser that has ended leaves nothing to take over.
    const seen = await use.end(this.#named).catch(() => null);
    this.#uses.delete(use);
    if (!seen) return;
    redactInEchoes({ cookies: seen.cookies });
    for (const state of seen.origins) redactInEchoes({ origins: [state] });
    if (this.#given.get(context) !== this.#changes) {
      console.warn(
        `The session ${this.name} does not keep what a page has changed: another browser or run has changed it since.`,
      );
      return;
    }
    const before = JSON.stringify(this.#value());
    for (const state of seen.origins) Object.assign(this.#originOf(state.origin), state);
    this.#cookies.replace(seen.cookies);
    if (JSON.stringify(this.#value()) !== before) this.#given.set(context, ++this.#changes);
  }

  async #check(logIn: (session: SiteSession) => unknown, { isLoggedIn }: CheckOptions): Promise<void> {
    const isGood = async () => !isOver(this.#value()) && (!isLoggedIn || (await isLoggedIn(this)) === true);
    await this.#open(null);
    if (await isGood()) return;
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, MAX_WAIT_MS)) {
      const { taken, isNew } = await this.#open(this.#holder);
      let isDone: boolean;
      try {
        isDone = isNew && (await isGood());
        if (taken && !isDone) {
          await this.#logIn(logIn, isLoggedIn);
          return;
        }
      } catch (error) {
        if (taken) await this.#release();
        throw error;
      }
      if (isDone) {
        if (taken) await this.#release();
        return;
      }
      await delay(waitMs);
    }
  }

  async #logIn(logIn: (session: SiteSession) => unknown, isLoggedIn: CheckOptions['isLoggedIn']): Promise<void> {
    const before = this.#value();
    this.#isLoggingIn = true;
    const lease = { version: this.#stored?.version ?? null, holder: this.#holder };
    const renewal = new LeaseRenewal(() => this.#call('openSession', lease));
    try {
      this.#replace({ cookies: [], origins: [], userAgent: this.#userAgent });
      await logIn(this);
      if (isEmpty(this.#value())) {
        throw new Error(
          `session('${this.name}').check: the login left no cookie and no storage in the session. Log in with session.fetch or session.use.`,
        );
      }
      if (isLoggedIn && (await isLoggedIn(this)) !== true) {
        throw new Error(`session('${this.name}').check: isLoggedIn is false right after the login. Check the login.`);
      }
      if (this.#maxAgeMs !== undefined) this.#expires = (Date.now() + this.#maxAgeMs) / 1_000;
      await renewal.stop();
      if (!(await this.#save(this.#holder))) {
        throw new Error(
          `session('${this.name}').check: the login took so long that another run logs in. Call check again.`,
        );
      }
    } catch (error) {
      this.#replace(before);
      throw error;
    } finally {
      await renewal.stop();
      this.#isLoggingIn = false;
    }
  }

  /** Loads the value before the first use in a run. */
  async #load(): Promise<void> {
    if (this.#stored !== null && this.#run === thisRun().runId) return;
    this.#loading ??= this.#open(null).finally(() => {
      this.#loading = undefined;
    });
    await this.#loading;
  }

  /** Gets the value if it has changed. With a holder, asks for the lease. */
  async #open(holder: string | null): Promise<{ taken: boolean; isNew: boolean }> {
    const known = this.#stored?.version ?? null;
    const { version, value, taken } = await this.#call<Opened>('openSession', { version: known, holder });
    const isFirst = this.#stored === null;
    const isNew = version !== known && version !== this.#stored?.version;
    if (isNew || isFirst) {
      if (value !== undefined) this.#replace(JSON.parse(value));
      this.#stored = { version, text: value ?? JSON.stringify(this.#value()) };
      tellRunner(value);
    } else if (this.#run !== thisRun().runId) {
      // The platform did not send the value again.
      tellRunner(JSON.stringify(this.#value()));
      redactInEchoes(this.#value());
    }
    this.#run = thisRun().runId;
    return { taken, isNew };
  }

  /** Saves the value. Returns whether the platform took it. */
  async #save(holder: string | null): Promise<boolean> {
    const text = encodeValue(this.#value(), `session('${this.name}')`);
    const version = randomUUID();
    tellRunner(text);
    const { saved } = await this.#call<{ saved: boolean }>('saveSession', {
      value: text,
      version: this.#stored?.version ?? null,
      new_version: version,
      holder,
    });
    if (saved) this.#stored = { version, text };
    return saved;
  }

  async #release(): Promise<void> {
    await this.#call('releaseSession', { holder: this.#holder });
  }

  async #call<Answer>(method: string, args: object): Promise<Answer> {
    const name = `session('${this.name}')`;
    return send<Answer>({ collection: this.name, method, args: encode(args, name) }, name);
  }

  /** Keeps cookies, and gives them to the browsers that have the session. */
  async #keepCookies(setCookies: readonly string[], url: URL): Promise<void> {
    if (setCookies.length === 0) return;
    const listed = this.#cookies.list;
    this.#cookies.set(setCookies, url.href);
    const current = this.#cookies.list;
    const known = new Set(listed.map(({ value }) => value));
    const added = current.filter(({ value }) => !known.has(value));
    if (added.length > 0) redactInEchoes({ cookies: added });
    saveBeforeEnd(this);
    const [before, cookies] = [this.#own(listed), this.#own(current)];
    if (JSON.stringify(cookies) === JSON.stringify(before)) return;
    const uses = [...this.#uses].filter(([, context]) => this.#given.get(context) === this.#changes);
    const beginnings = [...this.#beginnings].filter(({ changes }) => changes === this.#changes);
    this.#changes += 1;
    for (const [, context] of uses) this.#given.set(context, this.#changes);
    for (const beginning of beginnings) beginning.changes = this.#changes;
    // A page may have been closed.
    await Promise.all(uses.map(([use]) => use.changeCookies(before, cookies).catch(() => {})));
  }

  #originOf(origin: string): OriginState {
    const found = this.#origins.get(origin) ?? { origin, localStorage: [], sessionStorage: [] };
    this.#origins.set(origin, found);
    return found;
  }

  #replace({ cookies, origins, userAgent, expires }: SessionValue): void {
    this.#changes += 1;
    this.#expires = expires;
    this.#cookies.replace(cookies);
    this.#origins.clear();
    for (const state of origins) this.#origins.set(state.origin, state);
    for (const origin of this.#named) this.#originOf(origin);
    this.#userAgent = this.#namedUserAgent ?? userAgent;
  }

  /** Returns what is kept. */
  #value(): SessionValue {
    const expires = this.#expires;
    return {
      cookies: this.#own(this.#cookies.list),
      origins: [...this.#origins.values()],
      userAgent: this.#userAgent,
      ...(expires !== undefined && { expires }),
    };
  }

  /** Returns the cookies for the sites of the origins. Those for other sites are not kept. */
  #own(cookies: SessionCookie[]): SessionCookie[] {
    const hosts = [...this.#origins.keys()].map(origin => new URL(origin).hostname);
    return cookies.filter(({ domain }) => hosts.some(host => belongsTo(domain, host)));
  }
}
