import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Action, ApiErrorCode, RunErrorCode } from '@trawl/contracts';
import { isLive } from '@trawl/contracts';

/**
 * How long one request to the platform waits for the end of the run. This is short, because proxies cut off requests
 * that take longer.
 */
const WAIT_MS = 120_000;
const POLL_MS = 1_000;
/** Timeout of one request. The platform counts as unreachable if it takes longer to respond. */
const ANSWER_MS = WAIT_MS + 30_000;
/** How long a call is retried while the platform is unreachable. A restart of the platform takes less time. */
const MAX_AWAY_MS = WAIT_MS;

/**
 * HTTP statuses that the platform sends while its database is unreachable, or that a proxy sends while the platform is
 * unreachable.
 */
const AWAY_STATUSES = new Set([502, 503, 504]);
/** Error codes of `fetch` that mean that the request was not sent. */
const NOT_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

export interface StartCall {
  skript_id: string;
  input?: unknown;
  inputSecret?: unknown;
  input_id?: string | undefined;
  inputSecret_id?: string | undefined;
  force?: boolean | undefined;
  timeout_ms?: number | undefined;
  /** A key that the caller may send. Calls with the same key share a run. */
  idempotencyKey?: string | undefined;
}

/** A request to the platform that can be repeated. */
interface PlatformRequest {
  path: string;
  headers?: Record<string, string>;
  /** The request's body, as JSON text. With a body, the request is a POST; without one, it is a GET. */
  body?: string;
}

interface Answer {
  status: number;
  answer: object;
  /** Whether the platform may have received an earlier attempt of the request to which the worker got no response. */
  mayHaveArrived: boolean;
}

interface Execution {
  id: string;
  retry_of: string | null;
  action: Action;
  output?: unknown;
  error_code: RunErrorCode | null;
  error_stack: string | null;
}

/** The platform's response when it refuses to start a run. */
interface Refusal {
  error_message?: string;
  error_code?: ApiErrorCode;
  /** With the error code `already_running`: the id of the run that is already running. */
  details?: { execution_id?: string };
}

/** The error response to a call. */
export class CallRefused extends Error {
  readonly status: number;
  readonly body: { error_message: string; error_code: string; execution_id?: string };
  readonly headers: Record<string, string>;

  constructor(
    status: number,
    code: ApiErrorCode | RunErrorCode | 'stopped',
    message: string,
    { executionId, headers = {} }: { executionId?: string | undefined; headers?: Record<string, string> } = {},
  ) {
    super(message);
    this.status = status;
    this.headers = headers;
    this.body = { error_message: message, error_code: code, ...(executionId ? { execution_id: executionId } : {}) };
  }
}

export interface StartCallsOptions {
  /** The platform's address, without a trailing slash. */
  url: string;
  /** The API key of the account whose skripts are started. */
  accountKey: string;
  /** Returns this worker's id; null until the worker has connected to the platform for the first time. */
  workerId(): string | null;
}

/** Starts runs for calls to this worker. The worker asks the platform to start them, like any other run. */
export class StartCalls {
  readonly #options: StartCallsOptions;

  constructor(options: StartCallsOptions) {
    this.#options = options;
  }

  /**
   * Starts a skript on this worker and waits for the end of its last attempt.
   *
   * @param signal aborted when the worker shuts down or the caller disconnects
   * @returns what main.js returned, as JSON text
   * @throws CallRefused when the run does not end with an output
   */
  async run(call: StartCall, signal: AbortSignal): Promise<string> {
    const worker_id = this.#options.workerId();
    if (worker_id === null) throw unavailable('The worker is not connected to the platform yet.');
    let execution = await this.#start(call, worker_id, signal);
    const first = execution.retry_of ?? execution.id;
    while (isLive(execution.action)) {
      await pause(signal);
      execution = await this.#latest(first, execution, signal);
    }
    if (execution.action === 'end') return JSON.stringify(execution.output ?? null);
    if (execution.action === 'stop')
      throw new CallRefused(409, 'stopped', 'The run was stopped.', { executionId: execution.id });
    const message = execution.error_stack ?? 'The run ended with an error. See execution_id.';
    throw new CallRefused(500, execution.error_code ?? 'exception', message, { executionId: execution.id });
  }

  async #start(call: StartCall, worker_id: string, signal: AbortSignal): Promise<Execution> {
    const { skript_id, input, inputSecret, input_id, inputSecret_id, force, timeout_ms } = call;
    const isStored = input_id !== undefined || inputSecret_id !== undefined;
    const query = new URLSearchParams({ wait_ms: String(WAIT_MS) });
    if (force) query.set('force', 'true');
    if (timeout_ms !== undefined) query.set('timeout_ms', String(timeout_ms));
    if (isStored) {
      for (const [name, value] of Object.entries({ worker_id, skript_id, input_id, inputSecret_id })) {
        if (value !== undefined) query.set(name, value);
      }
    }
    const request: PlatformRequest = {
      path: `/joint-api/execute-skript/single-worker/start?${query}`,
      // With this key the platform starts only one run, even if the request is repeated.
      headers: { 'idempotency-key': call.idempotencyKey ?? randomUUID() },
    };
    if (!isStored) {
      request.headers = { ...request.headers, 'content-type': 'application/json' };
      request.body = JSON.stringify({ worker_id, skript_id, input, inputSecret });
    }
    const { status, answer, mayHaveArrived } = await this.#answerTo(request, signal);
    if (status === 200 || status === 202) return answer as Execution;
    if (status === 401) throw keyRefused();
    const { error_message, error_code, details } = answer as Refusal;
    // After a server error, the platform may or may not have started the run.
    const isRefusal = status >= 400 && status < 500 && typeof error_code === 'string';
    if (!isRefusal) throw unavailable(`The platform answered with status ${status}.`, { mayHaveStarted: true });
    const message = `${error_message}${mayHaveArrived ? ` ${MAY_HAVE_STARTED}` : ''}`;
    throw new CallRefused(status, error_code, message, { executionId: details?.execution_id });
  }

  /**
   * Fetches the run's current or last attempt. Returns `known` if the platform does not provide the attempt this time.
   */
  async #latest(first: string, known: Execution, signal: AbortSignal): Promise<Execution> {
    const run = await this.#answerTo({ path: `/joint-api/skript-execution/${known.id}` }, signal, first);
    if (run.status === 401) throw keyRefused(first);
    if (run.status === 404) throw new CallRefused(404, 'not_found', 'The run was deleted.', { executionId: first });
    if (run.status !== 200) return known;
    const execution = run.answer as Execution;
    if (isLive(execution.action)) return execution;
    // When an attempt has ended and the run is retried, the platform has already stored the next attempt.
    const path = `/joint-api/skript-execution/list?retry_of=${first}&limit=1`;
    const attempts = await this.#answerTo({ path }, signal, first);
    if (attempts.status !== 200) return known;
    const [last = execution] = (attempts.answer as { items: Execution[] }).items;
    return last.id === execution.id ? execution : this.#latest(first, last, signal);
  }

  /**
   * Repeats a request until the platform responds.
   *
   * @param executionId the run that the request is about, if there is one
   * @throws CallRefused when the platform is unreachable for too long, or `signal` is aborted
   */
  async #answerTo(request: PlatformRequest, signal: AbortSignal, executionId?: string): Promise<Answer> {
    let mayHaveArrived = false;
    let awaySince: number | undefined;
    for (;;) {
      if (signal.aborted) throw shutsDown({ mayHaveStarted: mayHaveArrived, executionId });
      try {
        return { ...(await this.#request(request, signal)), mayHaveArrived };
      } catch (error) {
        const { name, code, message } = causeOf(error);
        mayHaveArrived ||= !NOT_SENT.has(code);
        awaySince ??= Date.now();
        const isTooLong = name === 'TimeoutError' || Date.now() - awaySince >= MAX_AWAY_MS;
        if (isTooLong && !signal.aborted) {
          const why = `The platform did not answer: ${message || code}.`;
          throw unavailable(why, { mayHaveStarted: mayHaveArrived, executionId });
        }
      }
      await pause(signal);
    }
  }

  /** @throws Error when the platform is unreachable */
  async #request({ path, headers, body }: PlatformRequest, signal: AbortSignal) {
    // Do not use `AbortSignal.any`: each signal that it creates would stay attached to the call's signal, and a call
    // may poll for hours.
    const ended = new AbortController();
    const end = () => ended.abort();
    const timer = setTimeout(
      () => ended.abort(new DOMException('the answer took too long', 'TimeoutError')),
      ANSWER_MS,
    );
    signal.addEventListener('abort', end);
    try {
      const response = await fetch(this.#options.url + path, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { ...headers, authorization: `Bearer ${this.#options.accountKey}` },
        body: body ?? null,
        redirect: 'error',
        signal: ended.signal,
      });
      const text = await response.text();
      if (AWAY_STATUSES.has(response.status)) throw new Error(`status ${response.status}`);
      return { status: response.status, answer: JSON.parse(text) as object };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
    }
  }
}

const MAY_HAVE_STARTED = 'It is not known whether an earlier attempt of the same request started the skript.';

interface Started {
  /** True if a run may have been started whose id the worker does not know. */
  mayHaveStarted?: boolean;
  executionId?: string | undefined;
}

/**
 * Creates the error response for a call while the platform is unreachable or the worker shuts down. The response says
 * whether a run was started. It has `Retry-After` only if no run was started.
 */
export function unavailable(why: string, { mayHaveStarted = false, executionId }: Started = {}): CallRefused {
  if (executionId) {
    return new CallRefused(503, 'service_unavailable', `${why} The run was started: see execution_id.`, {
      executionId,
    });
  }
  if (mayHaveStarted) {
    return new CallRefused(503, 'service_unavailable', `${why} It is not known whether the skript was started.`);
  }
  return new CallRefused(503, 'service_unavailable', `${why} Nothing was started.`, {
    headers: { 'retry-after': '1' },
  });
}

export const shutsDown = (started?: Started): CallRefused => unavailable('The worker is shutting down.', started);

const keyRefused = (executionId?: string): CallRefused =>
  new CallRefused(502, 'unauthorized', 'The platform rejects the TRAWL_CALL_ACCOUNT_KEY of this worker.', {
    executionId,
  });

/** Returns the cause of an error of `fetch`, whose own message is only `fetch failed`. */
function causeOf(error: unknown): { name: string; code: string; message: string } {
  const { cause = error } = error as { cause?: unknown };
  const { name, code, message } = cause as NodeJS.ErrnoException;
  return { name, code: String(code), message };
}

/** Waits before the next poll. Also resolves when `signal` is aborted, so the caller must check the signal. */
const pause = (signal: AbortSignal): Promise<void> => delay(POLL_MS, undefined, { signal }).catch(() => {});
