import type { Cookie, CookieParam, GoToOptions, LaunchOptions, Page } from 'puppeteer-core';
import { type Device, findDevice } from './devices.js';
import {
  elementToWaitFor,
  type Launcher,
  printAnswer,
  type VisitOptions,
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
  postGoto?: ((page: Page) => unknown) | null;
  debug?: boolean;
}

/** Describes the page that was asked for. */
export interface Answer {
  requestMethod: string;
  requestURL: string;
  /** Address after redirects. */
  finalURL: string;
  /** Status of the page; 400 if the page could not be loaded, 408 if `waitCSSselector` did not appear. */
  status: number;
  statusMessage: string;
  decompressed: boolean;
  https: boolean;
  req: { headers: Record<string, string> | undefined };
  res: {
    headers: Record<string, string> | undefined;
    content: string | undefined;
    cookies: Cookie[];
    postGotoResult: unknown;
  };
  /** ISO times, and the seconds between them. */
  time: { req: string; res: string; duration: number };
}

/**
 * The HTTP client that older skripts require as `@mikosoft/httpclient-pptr` of version 3. It loads each page in a new
 * browser.
 */
export class HttpClientPptr {
  opts: HttpClientOptions;
  puppeteer: Launcher | undefined;

  constructor(opts?: HttpClientOptions) {
    this.opts = { ...opts };
  }

  /** Sets the Puppeteer to use. Without it, the client uses the Puppeteer of the run. */
  injectPuppeteer(puppeteer: Launcher): void {
    this.puppeteer = puppeteer;
  }

  /** Sets the path of the browser by operating system, for example `{ linux: '/usr/bin/google-chrome' }`. */
  set_executablePath(paths: Partial<Record<NodeJS.Platform, string>>): void {
    this.#launchWith({ executablePath: paths[process.platform] });
  }

  /** Sets the size of the window in pixels. Its position has no effect: a worker has no screen. */
  set_window(width?: number, height?: number, _x?: number, _y?: number): void {
    if (!width || !height) return;
    const args = this.opts.puppeteerLaunchOptions?.args ?? [];
    this.#launchWith({ args: [...args, `--window-size=${width},${height}`] });
  }

  /** @param device name of a device, or `{ userAgent, viewport }` */
  set_device(device: string | Device): void {
    this.opts.device = device;
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
   * @throws Error if the browser does not start, if an option is invalid, and the errors of `postGoto`
   */
  async askOnce(url: string): Promise<Answer> {
    const { opts } = this;
    const requestURL = withScheme(url);
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
      whenLoaded: page => opts.postGoto?.(page),
      debug: opts.debug ?? false,
    });
    const headers = found.response?.headers();
    return {
      requestMethod: found.request?.method() ?? 'GET',
      requestURL,
      finalURL: found.finalURL,
      status: found.status,
      statusMessage: found.statusMessage,
      decompressed: headers?.['content-encoding'] !== undefined,
      https: requestURL.startsWith('https:'),
      req: { headers: found.request?.headers() },
      res: { headers, content: found.content, cookies: found.cookies, postGotoResult: found.result },
      time: found.time,
    };
  }

  /** Prints an answer. Long texts are cut. */
  print(answer: unknown): void {
    printAnswer(answer);
  }

  #launchWith(options: LaunchOptions): void {
    this.opts.puppeteerLaunchOptions = { ...this.opts.puppeteerLaunchOptions, ...options };
  }
}
