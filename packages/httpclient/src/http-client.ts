import { readStart } from './answer.js';
import { Attempt } from './attempt.js';
import {
  BasicClient,
  type BasicOptions,
  checked,
  type Failure,
  MAX_TIMER_MS,
  RefusedError,
  rootCause,
} from './basic-client.js';
import type { CookieJar } from './cookie-jar.js';
import { HostGate } from './host-gate.js';
import { fetchThrough } from './proxy.js';
import { type Call, callThroughRedirects, type Redirect } from './redirects.js';
import { MAX_ROBOTS_BYTES, Robots } from './robots/robots.js';
import { readSitemap, type SitemapEntry, type SitemapOptions } from './sitemap.js';

/** Redirects that the client follows from a robots.txt, as RFC 9309 asks. */
const MAX_ROBOTS_REDIRECTS = 5;

const UNLIMITED = Number.MAX_SAFE_INTEGER;

export interface HttpClientOptions extends BasicOptions {
  /**
   * Keeps the cookies of answers and sends them back. Clients that share a jar share cookies. A session of @trawl/storage
   * is one, too. Default: none.
   */
  cookieJar?: Pick<CookieJar, 'setCookies' | 'cookieHeader'>;
  /** `http:` or `https:` URL of a proxy, which may contain a name and password. Default: none. */
  proxyUrl?: string;
  /** Minimum time in ms from the start of one request to a host to the start of the next. Default: 0. */
  minDelayPerHostMs?: number;
  /** Maximum number of requests to a host at the same time. Default: unlimited. */
  maxConcurrencyPerHost?: number;
  /**
   * Name of your program, such as `acme-prices/1.0`. If it is set, the client sends it as User-Agent and obeys the rules
   * of robots.txt for it. Default: none.
   */
  robotsUserAgent?: string;
}

/** The HTTP client for Node. */
export class HttpClient extends BasicClient {
  readonly #jar: HttpClientOptions['cookieJar'];
  readonly #fetchThroughProxy: ((request: Request) => Promise<Response>) | undefined;
  readonly #minDelayMs: number;
  readonly #gate: HostGate | undefined;
  readonly #robots: Robots | undefined;
  readonly #userAgent: string | undefined;

  /** @throws {RangeError} if a number is out of range, {TypeError} for another value or option that is not valid. */
  constructor({
    cookieJar,
    proxyUrl,
    minDelayPerHostMs = 0,
    maxConcurrencyPerHost = UNLIMITED,
    robotsUserAgent,
    ...options
  }: HttpClientOptions = {}) {
    super(options);
    this.#jar = cookieJar;
    this.#fetchThroughProxy = proxyUrl === undefined ? undefined : fetchThrough(proxyUrl);
    this.#minDelayMs = checked('minDelayPerHostMs', minDelayPerHostMs, 0, MAX_TIMER_MS);
    const maxConcurrency = checked('maxConcurrencyPerHost', maxConcurrencyPerHost, 1);
    this.#userAgent = robotsUserAgent === undefined ? undefined : productName(robotsUserAgent);
    this.#robots = this.#userAgent ? new Robots(this.#userAgent, address => this.#readRobots(address)) : undefined;
    const isPolite = this.#minDelayMs > 0 || maxConcurrency < UNLIMITED || this.#robots;
    this.#gate = isPolite ? new HostGate(maxConcurrency) : undefined;
  }

  /**
   * Yields the pages of a sitemap, and of the sitemaps that it names. It reads XML, text and gzip, each file up to
   * `maxBytes` after unpacking.
   *
   * @throws {Error} that names the file that cannot be read, or the limit that is exceeded
   */
  sitemap(url: string | URL, options: SitemapOptions = {}): AsyncGenerator<SitemapEntry, void> {
    const { maxUrls = 50_000, maxFiles = 500 } = options;
    const limits = { maxUrls: checked('maxUrls', maxUrls, 1), maxFiles: checked('maxFiles', maxFiles, 1) };
    const read = (file: string) => this.bytes(file, 'application/xml, text/xml, text/plain, application/gzip');
    return readSitemap(String(url), read, { ...limits, maxBytes: this.maxBytes });
  }

  protected override async send(call: Call, redirect: Redirect): Promise<Response> {
    const { address, attempt } = call;
    attempt.leave();
    let delayMs = this.#minDelayMs;
    if (this.#robots) {
      const permission = await attempt.pauseFor(this.#robots.permissionFor(address));
      if ('refusal' in permission) throw new RefusedError(permission.refusal);
      delayMs = Math.max(delayMs, permission.delayMs);
    }
    const headers = new Headers(call.headers);
    const cookies = headers.has('cookie') ? '' : await this.#jar?.cookieHeader(address);
    if (cookies) headers.set('cookie', cookies);
    const response = await this.#exchange({ ...call, headers }, redirect, delayMs);
    await this.#jar?.setCookies(response.headers.getSetCookie(), address);
    return response;
  }

  /** Sends a request when it is the turn of its host, through the proxy if there is one. */
  async #exchange(call: Call, redirect: Redirect, delayMs: number): Promise<Response> {
    const { address, method, body, attempt } = call;
    const headers = new Headers(call.headers);
    if (this.#userAgent && !headers.has('user-agent')) headers.set('user-agent', this.#userAgent);
    if (this.#gate) attempt.onLeave(await attempt.pauseFor(this.#gate.enter(address.hostname, delayMs)));
    const options = { method, headers, body, signal: attempt.signal, redirect };
    return this.#fetchThroughProxy?.(new Request(address, options)) ?? fetch(address, options);
  }

  async #readRobots(address: URL): Promise<{ status: number; text: string }> {
    const attempt = new Attempt(this.timeoutMs);
    try {
      const call = { address, method: 'GET', headers: new Headers(), body: null, attempt };
      const response = await callThroughRedirects(call, MAX_ROBOTS_REDIRECTS, (request, redirect) => {
        attempt.leave();
        return this.#exchange(request, redirect, this.#minDelayMs);
      });
      const { bytes } = await readStart(response, MAX_ROBOTS_BYTES);
      return { status: response.status, text: new TextDecoder().decode(bytes) };
    } catch (error) {
      if (attempt.signal.aborted) throw new Error(`timeout after ${this.timeoutMs} ms`);
      throw rootCause(error as Failure) ?? error;
    } finally {
      attempt.end();
    }
  }
}

function productName(userAgent: string): string {
  if (/^[a-z_-]+(\/|$)/i.test(userAgent)) return userAgent;
  throw new TypeError(
    `robotsUserAgent must begin with a name of letters, - and _, such as acme-prices/1.0; it is ${JSON.stringify(userAgent)}`,
  );
}
