import { type Answer, localAnswer, readStart, serverAnswer, type TextAnswer, withJson } from './answer.js';
import { Attempt } from './attempt.js';
import { contentText } from './content-text.js';
import { parseAddress } from './parse-address.js';
import { type Call, callThroughRedirects, type Redirect } from './redirects.js';

/** Options that work in browsers and in Node. */
export interface BasicOptions {
  /** Timeout of one attempt in ms, including redirects and the whole content. Default: 8,000. */
  timeoutMs?: number;
  /** Number of retries after a timeout, and after a status of `retryStatuses`. Default: 3. */
  retries?: number;
  /** Delay before each retry in ms. Default: 5,500. */
  retryDelayMs?: number;
  /**
   * Statuses of the server after which the client retries too, such as `[429, 502, 503, 504]`. If the answer has a
   * `Retry-After` of at most a minute, the client waits so long instead of `retryDelayMs`; if it asks for more, the client
   * does not retry. Default: none.
   */
  retryStatuses?: readonly number[];
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

/** The client does not wait longer than this for a server, in ms. */
const MAX_RETRY_AFTER_MS = 60_000;

/** Error codes of Node's own timeouts in `fetch`. */
const NODE_TIMEOUTS = /^(ETIMEDOUT|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT)$/;

/** Converts the content of a response. */
type Decode<Content> = (bytes: Uint8Array, contentType: string) => Content;

const asText: Decode<string | null> = (bytes, type) => contentText(bytes, type) || null;
const asBytes: Decode<Uint8Array> = bytes => bytes;

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
  readonly #retryStatuses: ReadonlySet<number>;
  readonly #maxRedirects: number;
  protected readonly maxBytes: number;

  /** @throws {RangeError} if an option is out of range, {TypeError} for an option that the client does not have. */
  constructor({
    timeoutMs = 8000,
    retries = 3,
    retryDelayMs = 5500,
    retryStatuses = [],
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
    this.#retryStatuses = new Set(retryStatuses.map(status => checked('retryStatuses', status, 400, 599)));
    this.#maxRedirects = checked('maxRedirects', maxRedirects, 0);
    this.maxBytes = checked('maxBytes', maxBytes, 1);
  }

  /** Sends JSON and reads JSON. A string as `body` must be JSON text. */
  async json(url: string | URL, { body, ...request }: RequestOptions & { body?: unknown } = {}): Promise<Answer> {
    const text = typeof body === 'string' ? body : body === undefined ? null : JSON.stringify(body);
    if (typeof body === 'string' && !isJson(body)) return localAnswer(400, 'Body string is not valid JSON');
    const type: Record<string, string> = text === null ? {} : { 'content-type': 'application/json' };
    return withJson(await this.#send(url, request, { accept: 'application/json', ...type }, asText, text));
  }

  /** Reads a page as text. */
  html(url: string | URL, request: RequestOptions = {}): Promise<TextAnswer> {
    return this.#send(url, request, { accept: 'text/html' }, asText);
  }

  /** Reads a script as text, without running it. */
  js(url: string | URL, request: RequestOptions = {}): Promise<TextAnswer> {
    return this.#send(url, request, { accept: 'text/javascript' }, asText);
  }

  /** Reads a file as it is. */
  protected bytes(url: string | URL, accept: string): Promise<Answer<Uint8Array | null>> {
    return this.#send(url, {}, { accept }, asBytes);
  }

  /** Sends `multipart/form-data`. Parses the content if its type is JSON; otherwise it is text. */
  async form(url: string | URL, fields: FormFields, request: RequestOptions = {}): Promise<Answer> {
    const answer = await this.#send(url, { method: 'POST', ...request }, { accept: '*/*' }, asText, toFormData(fields));
    return /\bjson\b/i.test(answer.headers['content-type'] ?? '') ? withJson(answer) : answer;
  }

  /** Sends one request, without following redirects unless `redirect` asks for it. */
  protected send({ address, method, headers, body, attempt }: Call, redirect: Redirect): Promise<Response> {
    return fetch(address, { method, headers, body, signal: attempt.signal, redirect });
  }

  async #send<Content>(
    url: unknown,
    { method = 'GET', headers }: RequestOptions,
    defaults: Record<string, string>,
    decode: Decode<Content>,
    body: Call['body'] = null,
  ): Promise<Answer<Content | null>> {
    const address = parseAddress(url);
    if (typeof address === 'string') return localAnswer(400, address);
    const call = { address, method: method.toUpperCase(), headers: new Headers(defaults), body };
    for (const [name, value] of Object.entries(headers ?? {})) call.headers.set(name, value);
    // This throws a TypeError if the request is invalid. Without it, `fetch` would throw a TypeError that looks like a
    // network error.
    new Request(address, { method: call.method, headers: call.headers, body });
    const canRetry = IDEMPOTENT_METHODS.has(call.method) || call.headers.has('idempotency-key');
    for (let retriesLeft = canRetry ? this.#retries : 0; ; retriesLeft--) {
      const answer = await this.#attempt(call, decode);
      const delayMs = answer === 'timeout' ? this.#retryDelayMs : this.#delayAfter(answer);
      if (delayMs === null || retriesLeft <= 0)
        return answer === 'timeout' ? localAnswer(408, `Request timeout after ${this.timeoutMs} ms`) : answer;
      await new Promise(resolve => setTimeout(resolve, delayMs));
    }
  }

  /** Returns how long to wait before a retry, in ms; null if the answer is final. */
  #delayAfter({ status, headers }: Answer): number | null {
    if (!this.#retryStatuses.has(status)) return null;
    const asked = headers['retry-after'];
    return asked === undefined ? this.#retryDelayMs : retryAfterMs(asked, this.#retryDelayMs);
  }

  async #attempt<Content>(
    call: Omit<Call, 'attempt'>,
    decode: Decode<Content>,
  ): Promise<Answer<Content | null> | 'timeout'> {
    const attempt = new Attempt(this.timeoutMs);
    try {
      const response = await callThroughRedirects({ ...call, attempt }, this.#maxRedirects, (request, redirect) =>
        this.send(request, redirect),
      );
      const { bytes, isWhole } = await readStart(response, this.maxBytes);
      if (!isWhole) return localAnswer(0, `Content is larger than ${this.maxBytes} bytes`);
      return serverAnswer(response, decode(bytes, response.headers.get('content-type') ?? ''));
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

/**
 * Returns how long a server asks to wait, in ms; null if that is too long.
 *
 * @param value of the header `Retry-After`: seconds, or a date
 * @param otherwise the result if the value is neither
 */
export function retryAfterMs(value: string, otherwise: number, now = Date.now()): number | null {
  const ms = /^\s*\d+\s*$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - now;
  if (Number.isNaN(ms)) return otherwise;
  return ms > MAX_RETRY_AFTER_MS ? null : Math.max(ms, 0);
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
