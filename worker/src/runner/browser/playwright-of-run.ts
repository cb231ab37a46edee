import Module from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHALLENGE_BYTES } from '../network/challenges.js';
import { OWN_ARGUMENTS } from './chromium-process.js';
import type { PageCounts } from './page-exchanges.js';
import {
  handle,
  type PausedRequest,
  patternsOf,
  type RequestHandler,
  type SendCommand,
} from './request-interception.js';

/** The options of Playwright's `launch` that a run has to change. */
interface LaunchOptions {
  args?: string[];
  channel?: string;
  devtools?: boolean;
  executablePath?: string;
  headless?: boolean;
}

/** One of Playwright's browsers: `chromium`, `firefox` or `webkit`. */
interface BrowserType {
  name(): string;
  executablePath(): string;
  launch(options?: LaunchOptions): Promise<Browser>;
  launchServer(options?: LaunchOptions): Promise<unknown>;
  launchPersistentContext(userDataDir: string, options?: LaunchOptions): Promise<Context>;
}

interface Closable {
  close(...options: unknown[]): Promise<void>;
}

interface Browser extends Closable {
  /** `newPage` calls it, too. */
  newContext(...options: unknown[]): Promise<Context>;
  newBrowserCDPSession(): Promise<Session>;
}

/** A session of Chromium's protocol. */
interface Session {
  send: SendCommand;
  on(event: 'Fetch.requestPaused', listener: (paused: PausedRequest) => void): unknown;
}

interface Context extends Closable {
  /** Null in older versions of Playwright if the context is a profile. */
  browser(): Browser | null;
  pages(): Closable[];
  on(event: 'response', listener: (response: Response) => void): unknown;
  on(event: 'page', listener: (page: Closable) => void): unknown;
}

interface Response {
  url(): string;
  status(): number;
  headers(): Record<string, string>;
  text(): Promise<string>;
  request(): {
    isNavigationRequest(): boolean;
    /** Resolves when the response has arrived. */
    sizes(): Promise<{ responseBodySize: number }>;
  };
  /** Throws for the response to a service worker. */
  frame(): Frame;
}

interface Frame {
  url(): string;
  page(): Closable;
  parentFrame(): Frame | null;
}

/** Functions of `RunBrowser`, which launches Puppeteer's browsers too. */
export interface PlaywrightRules {
  /** Returns the path of the Chromium to start, if the skript names this one. */
  programOf: (options: { executablePath?: string | undefined }) => string;
  warnOfScreen: (option: string) => void;
  /** Called before each launch. */
  launching: () => void;
  networkArguments: () => string[];
  counts: PageCounts;
  /** Returns handlers for the requests of all pages. */
  handlers: () => RequestHandler[];
}

const MAIN_FILE = /(?:^|[\\/])playwright-core(?:[\\/]index\.js)?$/;
/** How long a close waits for pages that are still being read. Those that load longer are hardly challenges. */
const READ_MS = 1_000;
const BROWSERS = ['chromium', 'firefox', 'webkit'] as const;

/** Node's internal functions, which its public types leave out. */
const loader = Module as unknown as { _load: (name: string, ...rest: unknown[]) => unknown };

/**
 * Lets each Playwright that is loaded in this process start the worker's Chromium. Playwright itself looks for a Chromium
 * that it has downloaded, and no environment variable names another. `playwright` and other libraries load
 * `playwright-core`, by `import` too.
 */
export function adaptPlaywright(rules: PlaywrightRules): void {
  const load = loader._load;
  const adapted = new WeakSet<object>();
  loader._load = (name, ...rest) => {
    const loaded = load(name, ...rest);
    if (!MAIN_FILE.test(name) || !isObject(loaded) || adapted.has(loaded)) return loaded;
    adapted.add(loaded);
    const { chromium, firefox, webkit } = loaded as Partial<Record<(typeof BROWSERS)[number], BrowserType>>;
    if (isObject(chromium)) adaptChromium(chromium, rules);
    for (const other of [firefox, webkit]) if (isObject(other)) refuse(other);
    return loaded;
  };
}

/** A skript may have a module of this name that is not Playwright. */
const isObject = <T>(value: T): value is T & object => typeof value === 'object' && value !== null;

function adaptChromium(
  chromium: BrowserType,
  { programOf, warnOfScreen, launching, networkArguments, counts, handlers }: PlaywrightRules,
): void {
  const { launch, launchServer, launchPersistentContext } = chromium;
  const ofRun = ({ channel: _, ...options }: LaunchOptions = {}): LaunchOptions => {
    launching();
    if (options.headless === false) warnOfScreen('headless: false');
    if (options.devtools) warnOfScreen('devtools: true');
    return {
      ...options,
      headless: true,
      devtools: false,
      executablePath: programOf(options),
      args: [...OWN_ARGUMENTS, ...networkArguments(), ...(options.args ?? [])],
    };
  };
  Object.assign(chromium, {
    executablePath: () => programOf({}),
    launch: async (options?: LaunchOptions) => {
      const browser = await launch.call(chromium, ofRun(options));
      await intercept(browser, handlers());
      const { newContext } = browser;
      const reads: PageReads = new Map();
      browser.newContext = async (...args) => countPages(await newContext.apply(browser, args), counts, reads);
      return readBeforeClose(browser, reads);
    },
    launchServer: (options?: LaunchOptions) => launchServer.call(chromium, ofRun(options)),
    launchPersistentContext: async (userDataDir: string, options?: LaunchOptions) => {
      const context = await launchPersistentContext.call(chromium, userDataDir, ofRun(options));
      await intercept(context.browser(), handlers());
      return countPages(context, counts, new Map());
    },
  });
}

/** Lets the runner handle requests in a session of the browser, as `RequestInterception` does for Puppeteer. */
async function intercept(browser: Browser | null, handlers: RequestHandler[]): Promise<void> {
  if (!browser || handlers.length === 0) return;
  const session = await browser.newBrowserCDPSession();
  const send: SendCommand = (method, params) => session.send(method, params);
  session.on('Fetch.requestPaused', paused => void handle(paused, handlers, send));
  await send('Fetch.enable', { patterns: patternsOf(handlers) });
}

/** The texts of pages that are being read. */
type PageReads = Map<Promise<void>, Closable>;

/** Counts the pages that a context loads, and the frames in them from the same host: not what they load. */
function countPages(context: Context, counts: PageCounts, reads: PageReads): Context {
  context.on('response', response => {
    if (!isPage(response)) return;
    const headers = response.headers();
    counts.requested(response.url());
    const isBlocked = counts.answered(response.url(), response.status(), name => headers[name]);
    if (isBlocked || !headers['content-type']?.includes('html')) return;
    const read = readPage(response, counts).finally(() => reads.delete(read));
    reads.set(read, response.frame().page());
  });
  const add = (page: Closable) => readBeforeClose(page, reads, page);
  for (const page of context.pages()) add(page);
  context.on('page', add);
  return readBeforeClose(context, reads);
}

/** Lets `close` wait for the reads of one page, or of all: Chromium drops the text of a page that it closes. */
function readBeforeClose<T extends Closable>(closable: T, reads: PageReads, page?: Closable): T {
  const { close } = closable;
  closable.close = async (...options) => {
    const open = [...reads].filter(([, of]) => !page || of === page).map(([read]) => read);
    if (open.length > 0) await Promise.race([Promise.all(open), sleep(READ_MS, undefined, { ref: false })]);
    return close.apply(closable, options);
  };
  return closable;
}

async function readPage(response: Response, counts: PageCounts): Promise<void> {
  try {
    const { responseBodySize } = await response.request().sizes();
    if (responseBodySize <= CHALLENGE_BYTES) counts.shown(response.url(), await response.text());
  } catch {
    // The page has been left or closed meanwhile.
  }
}

function isPage(response: Response): boolean {
  try {
    return response.request().isNavigationRequest() && isOfPage(response.url(), response.frame());
  } catch {
    return false;
  }
}

/** Frames from other hosts, such as those of advertisements, tell nothing about the site. */
function isOfPage(url: string, frame: Frame): boolean {
  let main = frame;
  for (let outer = frame.parentFrame(); outer; outer = outer.parentFrame()) main = outer;
  return main === frame || new URL(main.url()).host === new URL(url).host;
}

/** Makes the launches of another browser throw. Playwright itself would ask for a command that a run cannot execute. */
function refuse(type: BrowserType): void {
  const launch = async () => {
    throw new Error(`playwright: a worker has no ${type.name()}, only Chromium. Use playwright.chromium.`);
  };
  Object.assign(type, { launch, launchServer: launch, launchPersistentContext: launch });
}
