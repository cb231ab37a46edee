import type { LaunchOptions, Page, PuppeteerLifeCycleEvent } from 'puppeteer-core';
import { type Device, findDevice } from './devices.js';
import { elementToWaitFor, type Launcher, printAnswer, visit, type WaitOption, withScheme } from './visit.js';

export interface HttpClientOptions2 {
  headless?: LaunchOptions['headless'];
  /** Accepted without effect: a worker has no screen. */
  windowPosition?: [number, number];
  /** Milliseconds to wait for the page, and for each element of it. */
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
  /** `timeout` is in milliseconds, 10,000 unless set. */
  waitCSSselector?: WaitOption;
  debug?: boolean;
}

/** Describes the page that was asked for. */
export interface Answer2 {
  requestURL: string;
  /** Address after redirects; undefined without a redirect. */
  redirectedURL: string | undefined;
  requestMethod: string;
  /** Status of the page; 400 if the page could not be loaded, 408 if `waitCSSselector` did not appear. */
  status: number;
  statusMessage: string;
  gzip: boolean;
  deflate: boolean;
  https: boolean;
  req: { headers: Record<string, string> | undefined; payload: string | undefined };
  res: { headers: Record<string, string> | undefined; content: string | undefined };
  /** ISO times, and the seconds between them. */
  time: { req: string; res: string; duration: number };
}

const TIMEOUT_MS = 21_000;
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

  constructor(opts?: HttpClientOptions2) {
    this.opts = { ...opts };
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
    const requestURL = withScheme(url);
    const found = await visit(requestURL, {
      injected: this.puppeteer,
      launch: {
        headless: headless ?? true,
        args: opts.argsAppend ?? [],
        ...(executablePath ? { executablePath } : {}),
      },
      closeBrowser: opts.closeBrowser ?? true,
      device: this.device ?? findDevice('Desktop Windows'),
      cookies: [],
      storage: {},
      onNewDocument: null,
      headers: opts.extraHeaders ?? {},
      blocked: opts.block ?? [],
      goto: { waitUntil, timeout, ...(referer ? { referer } : {}) },
      waitFor: elementToWaitFor(opts.waitCSSselector),
      whenLoaded: async page => {
        for (const selector of opts.closePopups ?? []) await closePopup(page, selector, timeout);
        if (opts.scroll) await scrollToEnd(page);
      },
      debug: opts.debug ?? false,
    });
    const headers = found.response?.headers();
    const encoding = headers?.['content-encoding'] ?? '';
    const isRedirected = (found.request?.redirectChain().length ?? 0) > 0;
    return {
      requestURL,
      redirectedURL: isRedirected ? found.finalURL : undefined,
      requestMethod: found.request?.method() ?? 'GET',
      status: found.status,
      statusMessage: found.statusMessage,
      gzip: encoding.includes('gzip'),
      deflate: encoding.includes('deflate'),
      https: requestURL.startsWith('https:'),
      req: { headers: found.request?.headers(), payload: found.request?.postData() },
      res: { headers, content: found.content },
      time: found.time,
    };
  }

  /** The same as `askOnce`. */
  ask(url: string): Promise<Answer2> {
    return this.askOnce(url);
  }

  /** Prints an answer. Long texts are cut. */
  print(answer: unknown): void {
    printAnswer(answer);
  }
}

/** Clicks an element. Pages show popups only to some visitors, so a missing one is no error. */
async function closePopup(page: Page, selector: string, timeout: number): Promise<void> {
  try {
    const popup = await page.waitForSelector(selector, { timeout });
    await popup?.click();
    await new Promise(resolve => setTimeout(resolve, AFTER_POPUP_MS));
  } catch (error) {
    console.log(`closePopups: ${selector} was not clicked: ${(error as Error).message}`);
  }
}

async function scrollToEnd(page: Page): Promise<void> {
  await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
  // Ignore the timeout: a page that never stops loading is read as it is.
  await page.waitForNetworkIdle({ timeout: AFTER_SCROLL_MS }).catch(() => {});
}
