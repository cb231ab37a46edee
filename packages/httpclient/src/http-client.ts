import { readAddress } from './address.js';
import { type Answer, localAnswer, readText, serverAnswer, withJson } from './answer.js';
import { type Call, callThroughRedirects } from './redirects.js';

export interface HttpClientOptions {
  /** For one attempt: connecting, redirects and the whole content. 8,000 unless told. */
  timeoutMs?: number;
  /** Further attempts after a timeout. 3 unless told. */
  retries?: number;
  /** Wait before each of them. 5,500 unless told. */
  retryDelayMs?: number;
  /** 3 unless told. In a browser: 0 refuses redirects, any other number leaves the limit to the browser. */
  maxRedirects?: number;
  /** For the content of an answer, unpacked. 33,554,432 (32 MiB) unless told. */
  maxBytes?: number;
}

export interface RequestOptions {
  /** `GET` unless told; `POST` for a form. */
  method?: string;
  headers?: Record<string, string>;
}

export type FormFields = FormData | Record<string, string | Blob>;

/** May be sent twice: the second time changes nothing. Others need an Idempotency-Key. */
const REPEATABLE = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);

/** The longest that timers of browsers and Node can wait; a longer time would be over at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** What Node's fetch says when a time limit of its own was passed. */
const NODE_TIMEOUTS = /^(ETIMEDOUT|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT)$/;

/**
 * Calls that always come to an answer. They reject only with a TypeError for what no server can answer: a header that
 * HTTP does not know, a method that may not be sent, a `GET` with a body, a body that JSON cannot hold.
 */
export class HttpClient {
  readonly #timeoutMs: number;
  readonly #retries: number;
  readonly #retryDelayMs: number;
  readonly #maxRedirects: number;
  readonly #maxBytes: number;

  /** @throws {RangeError} for a number that an option cannot be. */
  constructor({
    timeoutMs = 8000,
    retries = 3,
    retryDelayMs = 5500,
    maxRedirects = 3,
    maxBytes = 32 * 1024 * 1024,
  }: HttpClientOptions = {}) {
    this.#timeoutMs = checked('timeoutMs', timeoutMs, 1, MAX_TIMER_MS);
    this.#retries = checked('retries', retries, 0);
    this.#retryDelayMs = checked('retryDelayMs', retryDelayMs, 0, MAX_TIMER_MS);
    this.#maxRedirects = checked('maxRedirects', maxRedirects, 0);
    this.#maxBytes = checked('maxBytes', maxBytes, 1);
  }

  /** Sends JSON and reads JSON. A `body` that is a string counts as JSON text. */
  async json(url: string | URL, { body, ...request }: RequestOptions & { body?: unknown } = {}): Promise<Answer> {
    const text = typeof body === 'string' ? body : body === undefined ? null : JSON.stringify(body);
    if (typeof body === 'string' && !isJson(body)) return localAnswer(400, 'Body string is not valid JSON');
    const type: Record<string, string> = text === null ? {} : { 'content-type': 'application/json' };
    return withJson(await this.#ask(url, request, { accept: 'application/json', ...type }, text));
  }

  /** Reads a page as text. */
  html(url: string | URL, request: RequestOptions = {}): Promise<Answer> {
    return this.#ask(url, request, { accept: 'text/html' });
  }

  /** Reads a script as text; it is not run. */
  js(url: string | URL, request: RequestOptions = {}): Promise<Answer> {
    return this.#ask(url, request, { accept: 'text/javascript' });
  }

  /** Sends `multipart/form-data`. The content is parsed when the answer says that it is JSON, and text otherwise. */
  async form(url: string | URL, fields: FormFields, request: RequestOptions = {}): Promise<Answer> {
    const answer = await this.#ask(url, { method: 'POST', ...request }, { accept: '*/*' }, toFormData(fields));
    return /\bjson\b/i.test(answer.headers['content-type'] ?? '') ? withJson(answer) : answer;
  }

  async #ask(
    url: unknown,
    { method = 'GET', headers }: RequestOptions,
    defaults: Record<string, string>,
    body: Call['body'] = null,
  ): Promise<Answer> {
    const address = readAddress(url);
    if (typeof address === 'string') return localAnswer(400, address);
    const call = { address, method: method.toUpperCase(), headers: new Headers(defaults), body };
    for (const [name, value] of Object.entries(headers ?? {})) call.headers.set(name, value);
    // Refuses what fetch would refuse; there it could not be told from a failure of the network.
    new Request(address, { method: call.method, headers: call.headers, body });
    const mayRepeat = REPEATABLE.has(call.method) || call.headers.has('idempotency-key');
    for (let retriesLeft = mayRepeat ? this.#retries : 0; ; retriesLeft--) {
      const answer = await this.#askOnce(call);
      if (answer !== 'timeout') return answer;
      if (retriesLeft <= 0) return localAnswer(408, `Request timeout after ${this.#timeoutMs} ms`);
      await new Promise(resolve => setTimeout(resolve, this.#retryDelayMs));
    }
  }

  async #askOnce(call: Omit<Call, 'signal'>): Promise<Answer | 'timeout'> {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), this.#timeoutMs);
    try {
      const response = await callThroughRedirects({ ...call, signal: limit.signal }, this.#maxRedirects);
      const text = await readText(response, this.#maxBytes);
      if (text === null) return localAnswer(0, `Content is larger than ${this.#maxBytes} bytes`);
      return serverAnswer(response, text);
    } catch (error) {
      const { cause } = error as { cause?: { code?: string; message?: string } };
      if (limit.signal.aborted || NODE_TIMEOUTS.test(cause?.code ?? '')) return 'timeout';
      // Browsers keep the reason from pages; Node tells it.
      return localAnswer(0, ['Network error', cause?.message || cause?.code].filter(Boolean).join(': '));
    } finally {
      clearTimeout(timer);
    }
  }
}

function checked(name: string, value: number, min: number, max: number = Number.MAX_SAFE_INTEGER): number {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
  throw new RangeError(`${name} must be a whole number from ${min} to ${max}, not ${value}`);
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
