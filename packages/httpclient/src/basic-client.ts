import { type Answer, localAnswer, readText, serverAnswer, type TextAnswer, withJson } from './answer.js';
import { Attempt } from './attempt.js';
import { parseAddress } from './parse-address.js';
import { type Call, callThroughRedirects, type Redirect } from './redirects.js';

/** Options that work in browsers and in Node. */
export interface BasicOptions {
  /** Timeout of one attempt in ms, including redirects and the whole content. Default: 8,000. */
  timeoutMs?: number;
  /** Number of retries after a timeout. Default: 3. */
  retries?: number;
  /** Delay before each retry in ms. Default: 5,500. */
  retryDelayMs?: number;
  /**
   * Maximum number of redirects that a call follows. Default: 3. In a browser, 0 refuses redirects; with any other
   * number the browser's own limit applies.
   */
  maxRedirects?: number;
  /** Maximum size of the uncompressed content in bytes. Default: 33,554,432 (32 MiB). */
  maxBytes?: number;
}

export interface RequestOptions {
  /** HTTP method. Default: `GET`, or `POST` for a form. */
  method?: string;
  headers?: Record<string, string>;
}

export type FormFields = FormData | Record<string, string | Blob>;

/**
 * Methods that are idempotent. The client retries a call with another method only if it has an Idempotency-Key header.
 */
const IDEMPOTENT_METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);

/** The longest delay of timers in browsers and Node, in ms. A timer with a longer delay fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Error codes of Node's own timeouts in `fetch`. */
const NODE_TIMEOUTS = /^(ETIMEDOUT|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT)$/;

/** A request that the client does not send, with the reason. It becomes an answer with status 0. */
export class RefusedError extends Error {}

/**
 * HTTP client whose calls always resolve with an answer, even after a network error or timeout. They reject only with a
 * TypeError for requests that cannot be sent: an invalid header, a forbidden method, a `GET` with a body, or a body that
 * JSON cannot represent.
 */
export class BasicClient {
  protected readonly timeoutMs: number;
  readonly #retries: number;
  readonly #retryDelayMs: number;
  readonly #maxRedirects: number;
  readonly #maxBytes: number;

  /** @throws {RangeError} if an option is out of range, {TypeError} for an option that the client does not have. */
  constructor({
    timeoutMs = 8000,
    retries = 3,
    retryDelayMs = 5500,
    maxRedirects = 3,
    maxBytes = 32 * 1024 * 1024,
    ...unknown
  }: BasicOptions = {}) {
    const [name] = Object.keys(unknown);
    if (name !== undefined)
      throw new TypeError(`HttpClient has no option ${name} here. See its README for the options.`);
    this.timeoutMs = checked('timeoutMs', timeoutMs, 1, MAX_TIMER_MS);
    this.#retries = checked('retries', retries, 0);
    this.#retryDelayMs = checked('retryDelayMs', retryDelayMs, 0, MAX_TIMER_MS);
    this.#maxRedirects = checked('maxRedirects', maxRedirects, 0);
    this.#maxBytes = checked('maxBytes', maxBytes, 1);
  }

  /** Sends JSON and reads JSON. A string as `body` must be JSON text. */
  async json(url: string | URL, { body, ...request }: RequestOptions & { body?: unknown } = {}): Promise<Answer> {
    const text = typeof body === 'string' ? body : body === undefined ? null : JSON.stringify(body);
    if (typeof body === 'string' && !isJson(body)) return localAnswer(400, 'Body string is not valid JSON');
    const type: Record<string, string> = text === null ? {} : { 'content-type': 'application/json' };
    return withJson(await this.#send(url, request, { accept: 'application/json', ...type }, text));
  }

  /** Reads a page as text. */
  html(url: string | URL, request: RequestOptions = {}): Promise<TextAnswer> {
    return this.#send(url, request, { accept: 'text/html' });
  }

  /** Reads a script as text, without running it. */
  js(url: string | URL, request: RequestOptions = {}): Promise<TextAnswer> {
    return this.#send(url, request, { accept: 'text/javascript' });
  }

  /** Sends `multipart/form-data`. Parses the content if its type is JSON; otherwise it is text. */
  async form(url: string | URL, fields: FormFields, request: RequestOptions = {}): Promise<Answer> {
    const answer = await this.#send(url, { method: 'POST', ...request }, { accept: '*/*' }, toFormData(fields));
    return /\bjson\b/i.test(answer.headers['content-type'] ?? '') ? withJson(answer) : answer;
  }

  /** Sends one request, without following redirects unless `redirect` asks for it. */
  protected send({ address, method, headers, body, attempt }: Call, redirect: Redirect): Promise<Response> {
    return fetch(address, { method, headers, body, signal: attempt.signal, redirect });
  }

  async #send(
    url: unknown,
    { method = 'GET', headers }: RequestOptions,
    defaults: Record<string, string>,
    body: Call['body'] = null,
  ): Promise<TextAnswer> {
    const address = parseAddress(url);
    if (typeof address === 'string') return localAnswer(400, address);
    const call = { address, method: method.toUpperCase(), headers: new Headers(defaults), body };
    for (const [name, value] of Object.entries(headers ?? {})) call.headers.set(name, value);
    // This throws a TypeError if the request is invalid. Without it, `fetch` would throw a TypeError that looks like a
    // network error.
    new Request(address, { method: call.method, headers: call.headers, body });
    const canRetry = IDEMPOTENT_METHODS.has(call.method) || call.headers.has('idempotency-key');
    for (let retriesLeft = canRetry ? this.#retries : 0; ; retriesLeft--) {
      const answer = await this.#attempt(call);
      if (answer !== 'timeout') return answer;
      if (retriesLeft <= 0) return localAnswer(408, `Request timeout after ${this.timeoutMs} ms`);
      await new Promise(resolve => setTimeout(resolve, this.#retryDelayMs));
    }
  }

  async #attempt(call: Omit<Call, 'attempt'>): Promise<TextAnswer | 'timeout'> {
    const attempt = new Attempt(this.timeoutMs);
    try {
      const response = await callThroughRedirects({ ...call, attempt }, this.#maxRedirects, (request, redirect) =>
        this.send(request, redirect),
      );
      const text = await readText(response, this.#maxBytes);
      if (text === null) return localAnswer(0, `Content is larger than ${this.#maxBytes} bytes`);
      return serverAnswer(response, text);
    } catch (error) {
      if (error instanceof RefusedError) return localAnswer(0, error.message);
      const cause = rootCause(error as Failure);
      if (attempt.signal.aborted || NODE_TIMEOUTS.test(cause?.code ?? '')) return 'timeout';
      // Node gives the cause of the error; browsers do not show it to pages.
      return localAnswer(0, ['Network error', cause?.message || cause?.code].filter(Boolean).join(': '));
    } finally {
      attempt.end();
    }
  }
}

export interface Failure {
  code?: string;
  message?: string;
  cause?: Failure;
}

/** Returns the failure that led to the error of a call. Through a proxy, it is the cause of another cause. */
export const rootCause = ({ cause }: Failure): Failure | undefined => cause && (rootCause(cause) ?? cause);

/** Returns the value of an option. @throws {RangeError} unless it is a whole number from `min` to `max`. */
export function checked(name: string, value: number, min: number, max: number = Number.MAX_SAFE_INTEGER): number {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
  throw new RangeError(`${name} must be an integer between ${min} and ${max}; it is ${value}`);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function toFormData(fields: FormFields): FormData {
  if (fields instanceof FormData) return fields;
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}
