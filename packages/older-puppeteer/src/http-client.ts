import type { Cookie, CookieParam, GoToOptions, LaunchOptions, Page } from 'puppeteer-core';
import { type Device, findDevice } from './devices.js';
import {
  elementToWaitFor,
  type FailedStep,
  type Launcher,
  printAnswer,
  type VisitOptions,
  type VisitTime,
  visit,
  type WaitOption,
  withScheme,
} from './visit.js';

export interface HttpClientOptions {
  puppeteerLaunchOptions?: LaunchOptions | null;
  /** Name of a device, or the device itself. */
  device?: string | Device | null;
  cookies?: CookieParam[] | null;
  storage?: VisitOptions['storage'] | null;
  evaluateOnNewDocument_callback?: (() => unknown) | null;
  extraRequestHeaders?: Record<string, unknown> | null;
  blockResources?: string[] | null;
  gotoOpts?: GoToOptions | null;
  /** True unless set: nothing else reaches the browser after the answer. */
  closeBrowser?: boolean;
  /** `timeout` is in milliseconds, 10,000 unless set. */
  waitCSSselector?: WaitOption;
  /** Called on the client. */
  postGoto?: ((this: HttpClientPptr, page: Page) => unknown) | null;
  /** Whether to encode the whole address, not only its spaces. */
  encodeURI?: boolean;
  debug?: boolean;
}

/** The options of a client that gets none. */
const defaultOptions = (): HttpClientOptions => ({
  puppeteerLaunchOptions: {
    executablePath: '',
    headless: true,
    devtools: false,
    dumpio: false,
    slowMo: 13,
    args: ['--start-maximized'],
    ignoreDefaultArgs: ['--enable-automation'],
    defaultViewport: null,
  },
  device: null,
  cookies: null,
  storage: null,
  evaluateOnNewDocument_callback: null,
  extraRequestHeaders: {},
  blockResources: [],
  gotoOpts: {},
  closeBrowser: true,
  waitCSSselector: null,
  postGoto: null,
  debug: false,
});

const CHROME: Partial<Record<NodeJS.Platform, string>> = {
  linux: '/usr/bin/google-chrome',
  win32: 'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  darwin: '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
};

/** Describes the page that was asked for. */
export interface Answer {
  requestMethod: string;
  requestURL: string;
  /** Address after redirects; empty if the page could not be loaded. */
  finalURL: string;
  /**
   * Status of the page. If a step failed: 503 after an error of the network, 408 if it took too long, otherwise 500. 0
   * without a response.
   */
  status: number;
  statusMessage: string;
  /** Whether the response was compressed with gzip or deflate. */
  decompressed: boolean;
  /** Null if the page could not be loaded. */
  https: boolean | null;
  req: { headers: Record<string, string> | undefined };
  res: {
    headers: Record<string, string> | undefined;
    content: string | undefined;
    cookies: Cookie[] | undefined;
    postGotoResult: unknown;
  };
  time: VisitTime;
}

/**
 * The HTTP client that older skripts require as `@mikosoft/httpclient-pptr` of version 3. It loads each page in a new
 * browser.
 */
export class HttpClientPptr {
  opts: HttpClientOptions;
  puppeteer: Launcher | undefined;

  constructor(opts?: HttpClientOptions | null) {
    this.opts = opts ?? defaultOptions();
  }

  /** Sets the Puppeteer to use. Without it, the client uses the Puppeteer of the run. */
  injectPuppeteer(puppeteer: Launcher): void {
    this.puppeteer = puppeteer;
  }

  /** Sets the path of the browser by operating system. Without paths, those of Chrome. */
  set_executablePath(paths = CHROME): void {
    this.#launchWith({ executablePath: paths[process.platform] });
  }

  /** Sets the size of the window in pixels; without a size, the viewport fills it. A worker ignores the position. */
  set_window(width?: number, height?: number, x?: number, y?: number): void {
    const isSized = Boolean(width && height);
    const own = isSized ? [`--window-size=${width},${height}`, `--window-position=${x},${y}`] : ['--start-maximized'];
    const args = [...new Set([...(this.opts.puppeteerLaunchOptions?.args ?? []), ...own])];
    this.#launchWith({ args, ...(isSized ? {} : { defaultViewport: null }) });
  }

  /**
   * Sets the device that the page imitates; none for an object that lacks a part.
   *
   * @param device name of a device, or `{ userAgent, viewport }`
   * @throws Error if there is no device of this name
   */
  set_device(device?: string | Partial<Device> | null): void {
    const { userAgent, viewport } = (typeof device === 'string' ? findDevice(device) : device) ?? {};
    this.opts.device = userAgent && viewport ? { userAgent, viewport } : null;
  }

  set_cookies(cookies: CookieParam[]): void {
    this.opts.cookies = cookies;
  }

  set_storage(storage: VisitOptions['storage']): void {
    this.opts.storage = storage;
  }

  /** Sets a function that each document executes before its own scripts. */
  set_evaluateOnNewDocument(callback: () => unknown): void {
    this.opts.evaluateOnNewDocument_callback = callback;
  }

  /**
   * Loads a page. If the page does not load, `status` and `statusMessage` have the reason.
   *
   * @throws Error without an address, if the browser does not start, if an option is invalid, and the errors of
   * `postGoto`
   */
  async askOnce(url: string): Promise<Answer> {
    const { opts } = this;
    const requestURL = this._correctUrl(url);
    const { device } = opts;
    const found = await visit(requestURL, {
      injected: this.puppeteer,
      launch: opts.puppeteerLaunchOptions ?? {},
      closeBrowser: opts.closeBrowser ?? true,
      device: typeof device === 'string' ? findDevice(device) : (device ?? null),
      cookies: opts.cookies ?? [],
      storage: opts.storage ?? {},
      onNewDocument: opts.evaluateOnNewDocument_callback ?? null,
      headers: opts.extraRequestHeaders ?? {},
      blocked: opts.blockResources ?? [],
      goto: opts.gotoOpts ?? {},
      waitFor: elementToWaitFor(opts.waitCSSselector),
      whenLoaded: page => opts.postGoto?.call(this, page),
      read: page => page.content(),
      debug: opts.debug ?? false,
    });
    const { failed, loaded } = found;
    // After a step that opened another page, the answer is about that page.
    const request =
      loaded && (found.requests.findLast(sent => sent.url() === loaded.finalURL) ?? found.requests.at(-1));
    const response = request?.response();
    const headers = response?.headers();
    return {
      requestMethod: 'GET',
      requestURL,
      finalURL: loaded?.finalURL ?? '',
      status: failed ? statusOf(failed.error) : (response?.status() ?? 0),
      statusMessage: failed ? messageOf(failed) : (response?.statusText() ?? ''),
      decompressed: /^(?:gzip|deflate)$/.test(headers?.['content-encoding'] ?? ''),
      https: loaded?.finalURL.startsWith('https:') ?? null,
      req: { headers: request?.headers() },
      res: { headers, content: loaded?.content, cookies: loaded?.cookies, postGotoResult: loaded?.result },
      time: found.time,
    };
  }

  /** Prints an answer. Lists of more than 100 values and texts of more than 3,000 characters are cut. */
  print(answer: unknown): void {
    printAnswer(answer, { maxArrayLength: 100, maxStringLength: 3_000 });
  }

  /**
   * Completes an address: adds `http://`, and encodes spaces, or all with the option `encodeURI`.
   *
   * @throws Error if it is not a text
   */
  _correctUrl(url: string): string {
    if (!url) throw new Error('URL is not defined. askOnce expects an address such as https://example.com.');
    if (typeof url !== 'string') throw new Error(`URL is not string data type. askOnce expects a text, not ${url}.`);
    const complete = withScheme(url.trim());
    return this.opts.encodeURI ? encodeURI(complete) : complete.replace(/\s+/g, '%20');
  }

  #launchWith(options: LaunchOptions): void {
    this.opts.puppeteerLaunchOptions = { ...this.opts.puppeteerLaunchOptions, ...options };
  }
}

function statusOf({ name, message }: Error): number {
  if (name === 'TimeoutError') return 408;
  return message.includes('net::ERR') ? 503 : 500;
}

function messageOf({ step, error }: FailedStep): string {
  const call = step === 'waitForSelector' ? 'waitForSelector() waitCSSselector' : `${step}()`;
  return `The pptr page.${call} error: ${error.message}`;
}
