import { inspect } from 'node:util';
import puppeteer, {
  type Browser,
  type Cookie,
  type CookieParam,
  type GoToOptions,
  type HTTPRequest,
  type LaunchOptions,
  type Page,
} from 'puppeteer-core';
import type { Device } from './devices.js';

export interface Launcher {
  launch(options?: LaunchOptions): Promise<Browser>;
}

/** Values by key. Values that are not strings are stored as JSON. */
type StoredValues = Record<string, unknown>;

export interface VisitOptions {
  /** The Puppeteer that the skript has injected; undefined for the one of the run. */
  injected: Launcher | undefined;
  launch: LaunchOptions;
  /** If false, the browser stays open after the visit. */
  closeBrowser: boolean;
  device: Device | null;
  cookies: CookieParam[];
  storage: { local?: StoredValues | null; session?: StoredValues | null };
  /** Executed in each document before the document's own scripts. */
  onNewDocument: (() => unknown) | null;
  headers: Record<string, unknown>;
  /** Types of resources that the page does not load, such as `image`. */
  blocked: string[];
  goto: GoToOptions;
  /** Element to wait for after the page has loaded. */
  waitFor: { selector: string; timeoutMs: number } | null;
  /** Called with the loaded page, before its content is read. */
  whenLoaded: (page: Page) => unknown;
  /** Returns the HTML of the page. */
  read: (page: Page) => Promise<string>;
  /** Whether to print each response. */
  debug: boolean;
}

/** A step of a visit that failed. The page is read all the same, unless it could not be loaded. */
export interface FailedStep {
  step: 'goto' | 'waitForSelector' | 'content';
  error: Error;
}

/** The page of a visit. */
export interface LoadedPage {
  finalURL: string;
  /** HTML of the page; empty if it could not be read. */
  content: string;
  cookies: Cookie[];
  /** What `whenLoaded` returned. */
  result: unknown;
}

/** The result of a visit. */
export interface Visit {
  /** The last step that failed; null if none did. */
  failed: FailedStep | null;
  /** The requests for documents in the main frame, in their order: redirects too, and pages that the page opened. */
  requests: HTTPRequest[];
  /** Null if the page could not be loaded. */
  loaded: LoadedPage | null;
  time: VisitTime;
}

/** ISO times, and the seconds between them. Without a page, there is only the first. */
export interface VisitTime {
  req: string;
  res: string | undefined;
  duration: number | undefined;
}

/** The element to wait for: a CSS selector, or an object with it. */
export type WaitOption = string | { selector: string; timeout?: number } | null;

const WAIT_MS = 10_000;

export function elementToWaitFor(option: WaitOption | undefined, defaultMs = WAIT_MS): VisitOptions['waitFor'] {
  const wait: { selector: string; timeout?: number } | null | undefined =
    typeof option === 'string' ? { selector: option } : option;
  return wait?.selector ? { selector: wait.selector, timeoutMs: wait.timeout ?? defaultMs } : null;
}

const HAS_SCHEME = /^(?:[a-z][a-z\d+.-]*:\/\/|about:|data:)/i;

/**
 * Starts a browser and visits a page with it. Problems of the page are part of the result.
 *
 * @throws Error if the browser does not start, if an option is invalid, and the errors of `whenLoaded`
 */
export async function visit(url: string, options: VisitOptions): Promise<Visit> {
  const begun = new Date();
  const browser = await (options.injected ?? puppeteer).launch(options.launch);
  try {
    const [page = await browser.newPage()] = await browser.pages();
    const requests: HTTPRequest[] = [];
    page.on('request', request => {
      if (request.isNavigationRequest() && request.frame() === page.mainFrame()) requests.push(request);
    });
    await prepare(page, url, options);
    const { failed, loaded } = await load(page, url, options);
    const ended = loaded && new Date();
    const time = {
      req: begun.toISOString(),
      res: ended?.toISOString(),
      duration: ended ? (ended.getTime() - begun.getTime()) / 1000 : undefined,
    };
    return { failed, requests, loaded, time };
  } finally {
    if (options.closeBrowser) await browser.close();
  }
}

/** Completes an address such as `example.com:8080`, as browsers do. */
export const withScheme = (url: string): string => (HAS_SCHEME.test(url) ? url : `http://${url}`);

/** Prints an answer, and cuts long lists and texts. */
export function printAnswer(answer: unknown, limits: { maxArrayLength: number; maxStringLength: number }): void {
  console.log(inspect(answer, { depth: 5, compact: false, ...limits }));
}

async function prepare(page: Page, url: string, options: VisitOptions): Promise<void> {
  const { device, cookies, storage, onNewDocument, headers, blocked, debug } = options;
  if (device) {
    const { userAgent, viewport } = device;
    const ofBrowser = await page.browser().userAgent();
    await page.emulate({ viewport, userAgent: typeof userAgent === 'string' ? userAgent : userAgent(ofBrowser) });
  }
  if (cookies.length > 0) {
    await page.setCookie(...cookies.map(cookie => (cookie.domain || cookie.url ? cookie : { ...cookie, url })));
  }
  if (storage.local || storage.session) {
    await page.evaluateOnNewDocument(fillStorage, texts(storage.local), texts(storage.session));
  }
  if (onNewDocument) await page.evaluateOnNewDocument(onNewDocument);
  const named = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  if (named.length > 0) await page.setExtraHTTPHeaders(Object.fromEntries(named));
  if (blocked.length > 0) await blockResources(page, blocked);
  if (debug) {
    page.on('response', response => console.log(response.status(), response.request().method(), response.url()));
    page.on('requestfailed', request => console.log(request.failure()?.errorText, request.method(), request.url()));
  }
}

async function load(page: Page, url: string, options: VisitOptions): Promise<Pick<Visit, 'failed' | 'loaded'>> {
  try {
    await page.goto(url, options.goto);
  } catch (error) {
    return { failed: { step: 'goto', error: error as Error }, loaded: null };
  }
  let failed = await waitForElement(page, options.waitFor);
  const result = await options.whenLoaded(page);
  let content = '';
  try {
    content = await options.read(page);
  } catch (error) {
    // For example, the page went to another address while it was read.
    failed = { step: 'content', error: error as Error };
    content = await options.read(page).catch(() => '');
  }
  return { failed, loaded: { finalURL: page.url(), content, cookies: await page.cookies(), result } };
}

/** Returns the failure if the element does not appear in time, else null. */
async function waitForElement(page: Page, waitFor: VisitOptions['waitFor']): Promise<FailedStep | null> {
  if (waitFor === null) return null;
  try {
    await page.waitForSelector(waitFor.selector, { timeout: waitFor.timeoutMs });
    return null;
  } catch (error) {
    return { step: 'waitForSelector', error: error as Error };
  }
}

async function blockResources(page: Page, blocked: string[]): Promise<void> {
  await page.setRequestInterception(true);
  page.on('request', request => {
    const decided = blocked.includes(request.resourceType()) ? request.abort() : request.continue();
    // Ignore errors: the page may be closed while it still loads.
    decided.catch(() => {});
  });
}

const texts = (values: StoredValues | null | undefined): [string, string][] =>
  Object.entries(values ?? {}).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]);

/** Executed in the page. Frames keep their storage, which may belong to another site. */
function fillStorage(local: [string, string][], session: [string, string][]): void {
  if (window !== window.top || window.origin === 'null') return;
  for (const [key, value] of local) localStorage.setItem(key, value);
  for (const [key, value] of session) sessionStorage.setItem(key, value);
}
