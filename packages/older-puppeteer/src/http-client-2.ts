import type { ElementHandle, LaunchOptions, Page, PuppeteerLifeCycleEvent } from 'puppeteer-core';
import { type Device, findDevice } from './devices.js';
import {
  elementToWaitFor,
  type FailedStep,
  type Launcher,
  printAnswer,
  type VisitTime,
  visit,
  type WaitOption,
  withScheme,
} from './visit.js';

export interface HttpClientOptions2 {
  headless?: LaunchOptions['headless'];
  /** Accepted without effect: a worker has no screen. */
  windowPosition?: [number, number];
  /** Milliseconds to wait for the page, and for each element of it; 30,000 unless set. */
  timeout?: number;
  referer?: string;
  /** Types of resources that the page does not load, such as `image`. */
  block?: string[];
  /** Whether to scroll to the end of the page. */
  scroll?: boolean;
  waitUntil?: PuppeteerLifeCycleEvent;
  argsAppend?: string[];
  extraHeaders?: Record<string, unknown>;
  /** True unless set: nothing else reaches the browser after the answer. */
  closeBrowser?: boolean;
  /** CSS selectors of elements to click, such as the button that closes a popup. */
  closePopups?: string[];
  waitCSSselector?: WaitOption;
  debug?: boolean;
}

/** Describes the page that was asked for. */
export interface Answer2 {
  requestURL: string;
  /** The last address, with or without a redirect; undefined if the page could not be loaded. */
  redirectedURL: string | undefined;
  requestMethod: string | undefined;
  /**
   * Status of the first response, which may be a redirect; 400 if the page could not be loaded or read, 408 if an
   * element did not appear.
   */
  status: number;
  statusMessage: string;
  /** How the first response was compressed. As `https`, undefined if the page could not be loaded. */
  gzip: boolean | undefined;
  deflate: boolean | undefined;
  https: boolean | undefined;
  req: { headers: Record<string, string> | undefined; payload: string | undefined };
  res: { headers: Record<string, string> | undefined; content: string | undefined };
  time: VisitTime;
}

/** The options of a client that gets none. */
const defaultOptions = (): HttpClientOptions2 => ({
  headless: true,
  windowPosition: [0, 0],
  timeout: 21_000,
  referer: '',
  block: [],
  scroll: false,
  waitUntil: 'load',
  waitCSSselector: '',
  argsAppend: [],
  extraHeaders: {},
  closeBrowser: true,
  closePopups: [],
  debug: false,
});

/** Time that Puppeteer waits for a page or an element unless told otherwise. */
const TIMEOUT_MS = 30_000;
/** Pause after each step, so that pages see no faster visitor than before. */
const SLOW_MOTION_MS = 13;
/** Time for a page to react to the click on a popup. */
const AFTER_POPUP_MS = 800;
/** Longest wait for what the page loads after it was scrolled. */
const AFTER_SCROLL_MS = 3_000;

/**
 * The HTTP client that older skripts require as `@mikosoft/httpclient-pptr` of version 2. It loads each page in a new
 * browser.
 */
export class HttpClientPptr2 {
  opts: HttpClientOptions2;
  puppeteer: Launcher | undefined;
  executablePath: string | undefined;
  device: Device | undefined;

  constructor(opts?: HttpClientOptions2 | null) {
    this.opts = opts || defaultOptions();
  }

  /** Sets the Puppeteer to use. Without it, the client uses the Puppeteer of the run. */
  injectPuppeteer(puppeteer: Launcher): void {
    this.puppeteer = puppeteer;
  }

  /** Sets the path of the browser. Without it, Puppeteer chooses the browser. */
  defineExecutablePath(executablePath?: string): void {
    this.executablePath = executablePath;
  }

  /**
   * Chooses the device that the page imitates.
   *
   * @param more further devices: an object by name, or a list of devices with a `name`
   * @throws Error if there is no device of this name
   */
  setDeviceObject(name = 'Desktop Windows', more: Record<string, Device> | (Device & { name: string })[] = {}): void {
    const own = Array.isArray(more) ? Object.fromEntries(more.map(device => [device.name, device])) : more;
    this.device = findDevice(name, own);
  }

  /**
   * Loads a page. If the page does not load, `status` and `statusMessage` have the reason.
   *
   * @throws Error if the browser does not start, or if an option is invalid
   */
  async askOnce(url: string): Promise<Answer2> {
    const { opts, executablePath } = this;
    const { headless, referer, timeout = TIMEOUT_MS, waitUntil = 'load' } = opts;
    const { userAgent, viewport } = this.device ?? findDevice('Desktop Windows');
    /** The last popup that did not appear. */
    let missing: Error | null = null;
    const found = await visit(withScheme(url), {
      injected: this.puppeteer,
      launch: {
        headless: headless ?? true,
        slowMo: SLOW_MOTION_MS,
        args: opts.argsAppend ?? [],
        ...(executablePath ? { executablePath } : {}),
      },
      closeBrowser: opts.closeBrowser ?? true,
      // Only the size of a device counts, so a telephone gets no touch screen.
      device: { userAgent, viewport: { width: viewport.width, height: viewport.height } },
      cookies: [],
      storage: {},
      onNewDocument: null,
      headers: opts.extraHeaders ?? {},
      blocked: opts.block ?? [],
      goto: { waitUntil, timeout, ...(referer ? { referer } : {}) },
      waitFor: elementToWaitFor(opts.waitCSSselector, timeout),
      whenLoaded: async page => {
        for (const selector of opts.closePopups ?? []) missing = (await closePopup(page, selector, timeout)) ?? missing;
        if (opts.scroll) await scrollToEnd(page);
      },
      read: page => page.evaluate(() => document.documentElement.outerHTML),
      debug: opts.debug ?? false,
    });
    const { loaded } = found;
    const failed = failureOf(found.failed, missing, url);
    const [request] = found.requests;
    const response = loaded ? request?.response() : null;
    const headers = response?.headers();
    const encoding = headers?.['content-encoding'] ?? '';
    return {
      requestURL: url,
      redirectedURL: loaded?.finalURL,
      requestMethod: request?.method(),
      status: failed?.status ?? response?.status() ?? 0,
      statusMessage: failed?.message ?? response?.statusText() ?? '',
      gzip: loaded ? encoding.includes('gzip') : undefined,
      deflate: loaded ? encoding.includes('deflate') : undefined,
      https: loaded ? url.startsWith('https') : undefined,
      req: {
        headers: request && { ...request.headers(), ...(referer ? { referer } : {}) },
        payload: request?.postData(),
      },
      res: { headers, content: loaded?.content },
      time: found.time,
    };
  }

  /** The same as `askOnce`. */
  ask(url: string): Promise<Answer2> {
    return this.askOnce(url);
  }

  /** Prints an answer. Lists of more than 10 values and texts of more than 350 characters are cut. */
  print(answer: unknown): void {
    printAnswer(answer, { maxArrayLength: 10, maxStringLength: 350 });
  }
}

/** Returns the status and the message of the failure that an answer names; null if all went well. */
function failureOf(failed: FailedStep | null, missing: Error | null, url: string) {
  const of = (status: number, call: string, error: Error, more = '') => ({
    status,
    message: `The pptr page.${call} error: ${error.message}${more}`,
  });
  if (failed?.step === 'goto') return of(400, 'goto()', failed.error);
  if (failed?.step === 'content')
    return of(400, 'evaluate()', failed.error, ` Check if ${url} has META HTTP-EQUIV="refresh" tag.`);
  if (missing) return of(408, 'waitForSelector() closePopups', missing);
  return failed && of(408, 'waitForSelector() waitCSSselector', failed.error);
}

/** Clicks an element. Returns the error if it does not appear in time; the answer is about the page all the same. */
async function closePopup(page: Page, selector: string, timeout: number): Promise<Error | null> {
  let popup: ElementHandle<Element> | null;
  try {
    popup = await page.waitForSelector(selector, { timeout });
  } catch (error) {
    return error as Error;
  }
  await popup?.click();
  await new Promise(resolve => setTimeout(resolve, AFTER_POPUP_MS));
  return null;
}

async function scrollToEnd(page: Page): Promise<void> {
  await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
  // Ignore the timeout: a page that never stops loading is read as it is.
  await page.waitForNetworkIdle({ timeout: AFTER_SCROLL_MS }).catch(() => {});
}
