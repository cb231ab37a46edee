import { inspect } from 'node:util';
import puppeteer, {
  type Browser,
  type Cookie,
  type CookieParam,
  type GoToOptions,
  type HTTPRequest,
  type HTTPResponse,
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
  /** Whether to print each response. */
  debug: boolean;
}

/** The result of a visit. */
export interface Visit {
  /**
   * Status of the page; 400 if the page could not be loaded or read, 408 if the element to wait for did not appear; 0
   * without a response, as for `about:blank`.
   */
  status: number;
  /** Status text of the page, or the message of the error. */
  statusMessage: string;
  /** The last request for the page, after redirects, and its response. */
  request: HTTPRequest | null;
  response: HTTPResponse | null;
  finalURL: string;
  /** HTML of the page; undefined if it could not be loaded or read. */
  content: string | undefined;
  cookies: Cookie[];
  /** What `whenLoaded` returned. */
  result: unknown;
  /** ISO times, and the seconds between them. */
  time: { req: string; res: string; duration: number };
}

/** The element to wait for: a CSS selector, or an object with it. */
export type WaitOption = string | { selector: string; timeout?: number } | null;

const WAIT_MS = 10_000;

export function elementToWaitFor(option: WaitOption | undefined): VisitOptions['waitFor'] {
  const wait: { selector: string; timeout?: number } | null | undefined =
    typeof option === 'string' ? { selector: option } : option;
  return wait?.selector ? { selector: wait.selector, timeoutMs: wait.timeout ?? WAIT_MS } : null;
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
    await prepare(page, url, options);
    const found = await load(page, url, options);
    const ended = new Date();
    const duration = (ended.getTime() - begun.getTime()) / 1000;
    return { ...found, time: { req: begun.toISOString(), res: ended.toISOString(), duration } };
  } finally {
    if (options.closeBrowser) await browser.close();
  }
}

/** Completes an address such as `example.com:8080`, as browsers do. */
export const withScheme = (url: string): string => (HAS_SCHEME.test(url) ? url : `http://${url}`);

/** Prints an answer in a readable size. */
export function printAnswer(answer: unknown): void {
  console.log(inspect(answer, { depth: 5, maxArrayLength: 10, maxStringLength: 350 }));
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

async function load(page: Page, url: string, options: VisitOptions): Promise<Omit<Visit, 'time'>> {
  const nothing = { status: 0, statusMessage: '', request: null, response: null, content: undefined, cookies: [] };
  let response: HTTPResponse | null;
  try {
    response = await page.goto(url, options.goto);
  } catch (error) {
    const statusMessage = (error as Error).message;
    return { ...nothing, finalURL: page.url(), status: 400, statusMessage, result: undefined };
  }
  const late = await waitForElement(page, options.waitFor);
  const result = await options.whenLoaded(page);
  const status = late === null ? (response?.status() ?? 0) : 408;
  const statusMessage = late ?? response?.statusText() ?? '';
  const seen = { ...nothing, request: response?.request() ?? null, response, finalURL: page.url(), result };
  try {
    return { ...seen, status, statusMessage, content: await page.content(), cookies: await page.cookies() };
  } catch (error) {
    // For example, the page went to another address while it was read.
    return { ...seen, status: 400, statusMessage: (error as Error).message };
  }
}

/** Returns the message of the error if the element does not appear in time, else null. */
async function waitForElement(page: Page, waitFor: VisitOptions['waitFor']): Promise<string | null> {
  if (waitFor === null) return null;
  try {
    await page.waitForSelector(waitFor.selector, { timeout: waitFor.timeoutMs });
    return null;
  } catch (error) {
    return (error as Error).message;
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
