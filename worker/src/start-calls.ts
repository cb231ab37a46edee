import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Action, ApiErrorCode, RunErrorCode } from '@trawl/contracts';
import { isLive } from '@trawl/contracts';

/** What waits for longer is asked for again: no proxy on the way holds an answer back for so long. */
const WAIT_MS = 120_000;
const LOOK_MS = 1_000;
/** A platform that takes longer to answer than that is not there. */
const ANSWER_MS = WAIT_MS + 30_000;
/** A platform that restarts is back by then. */
const PATIENCE_MS = WAIT_MS;

/** Of the platform while it or its database is away, or of a proxy before it. */
const AWAY_STATUSES = new Set([502, 503, 504]);
/** What `fetch` fails with when not a byte was sent. */
const NOT_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

export interface StartCall {
  skript_id: string;
  input?: unknown;
  inputSecret?: unknown;
  input_id?: string | undefined;
  inputSecret_id?: string | undefined;
  force?: boolean | undefined;
  timeout_ms?: number | undefined;
  /** The caller's own; calls with the same one share a run. */
  idempotencyKey?: string | undefined;
}

/** A request to the platform, the same however often it is made. */
interface Ask {
  path: string;
  headers?: Record<string, string>;
  /** JSON; one that has it is a POST. */
  body?: string;
}

interface Answer {
  status: number;
  answer: object;
  /** An earlier request of the same ask may have arrived, and was not answered. */
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

/** What the platform answers to a start that it refuses. */
interface Refusal {
  error_message?: string;
  error_code?: ApiErrorCode;
  /** Of `already_running`: the run that goes on. */
  details?: { execution_id?: string };
}

/** A call that has no output to answer with: status, headers and body say why. */
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
  /** The platform, without a slash at its end. */
  url: string;
  /** The API key of the account whose skripts are started. */
  accountKey: string;
  /** This worker's id; null before the platform has said it. */
  workerId(): string | null;
}

/** Runs that calls to this worker ask for: made through the platform, like any other. */
export class StartCalls {
  readonly #options: StartCallsOptions;

  constructor(options: StartCallsOptions) {
    this.#options = options;
  }

  /**
   * Starts a skript on this worker and waits for the end of its last try.
   * @param signal is aborted when the worker shuts down, or nobody waits any more.
   * @returns what main.js returned, as JSON text.
   * @throws CallRefused for whatever else came of it.
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
    const message = execution.error_stack ?? 'The run ended with an error.';
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
    const ask: Ask = {
      path: `/joint-api/execute-skript/single-worker/start?${query}`,
      // However often it is asked, the platform starts one run for it.
      headers: { 'idempotency-key': call.idempotencyKey ?? randomUUID() },
    };
    if (!isStored) {
      ask.headers = { ...ask.headers, 'content-type': 'application/json' };
      ask.body = JSON.stringify({ worker_id, skript_id, input, inputSecret });
    }
    const { status, answer, mayHaveArrived } = await this.#answerTo(ask, signal);
    if (status === 200 || status === 202) return answer as Execution;
    if (status === 401) throw keyRefused();
    const { error_message, error_code, details } = answer as Refusal;
    // The platform does not know of a start that failed midway whether there is a run.
    const isRefusal = status >= 400 && status < 500 && typeof error_code === 'string';
    if (!isRefusal) throw unavailable(`The platform answered ${status}.`, { mayHaveStarted: true });
    const message = `${error_message}${mayHaveArrived ? ` ${MAY_BE_STARTED}` : ''}`;
    throw new CallRefused(status, error_code, message, { executionId: details?.execution_id });
  }

  /** The try that goes on or was the last; `known` when the platform says nothing of it this time. */
  async #latest(first: string, known: Execution, signal: AbortSignal): Promise<Execution> {
    const run = await this.#answerTo({ path: `/joint-api/skript-execution/${known.id}` }, signal, first);
    if (run.status === 401) throw keyRefused(first);
    if (run.status === 404)
      throw new CallRefused(404, 'not_found', 'The run was deleted meanwhile.', { executionId: first });
    if (run.status !== 200) return known;
    const execution = run.answer as Execution;
    if (isLive(execution.action)) return execution;
    // The next try is there as soon as one has ended, not before.
    const path = `/joint-api/skript-execution/list?retry_of=${first}&limit=1`;
    const tries = await this.#answerTo({ path }, signal, first);
    if (tries.status !== 200) return known;
    const [last = execution] = (tries.answer as { items: Execution[] }).items;
    return last.id === execution.id ? execution : this.#latest(first, last, signal);
  }

  /**
   * Asks again, with pauses, while the platform is away.
   * @param executionId the run that it is about, where there is one.
   * @throws CallRefused when the platform is away for too long, or `signal` is aborted.
   */
  async #answerTo(ask: Ask, signal: AbortSignal, executionId?: string): Promise<Answer> {
    let mayHaveArrived = false;
    let awaySince: number | undefined;
    for (;;) {
      if (signal.aborted) throw shutsDown({ mayHaveStarted: mayHaveArrived, executionId });
      try {
        return { ...(await this.#ask(ask, signal)), mayHaveArrived };
      } catch (error) {
        const { name, code, message } = causeOf(error);
        mayHaveArrived ||= !NOT_SENT.has(code);
        awaySince ??= Date.now();
        const isTooLong = name === 'TimeoutError' || Date.now() - awaySince >= PATIENCE_MS;
        if (isTooLong && !signal.aborted) {
          const why = `The platform did not answer: ${message || code}.`;
          throw unavailable(why, { mayHaveStarted: mayHaveArrived, executionId });
        }
      }
      await pause(signal);
    }
  }

  /** @throws Error when what came is no answer of a platform that is there. */
  async #ask({ path, headers, body }: Ask, signal: AbortSignal) {
    // Not `AbortSignal.any`, whose signals stay with the one of the call: it may look for hours.
    const ended = new AbortController();
    const end = () => ended.abort();
    const timer = setTimeout(() => ended.abort(new DOMException('it took too long', 'TimeoutError')), ANSWER_MS);
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

const MAY_BE_STARTED = 'It is not known whether an earlier request for the same start arrived, and started the skript.';

interface Started {
  /** There may be a run; its id is not known. */
  mayHaveStarted?: boolean;
  executionId?: string | undefined;
}

/** What a caller may do about it depends on what was started: only where that is nothing, it is told to try again. */
export function unavailable(why: string, { mayHaveStarted = false, executionId }: Started = {}): CallRefused {
  if (executionId) {
    return new CallRefused(503, 'service_unavailable', `${why} The run was started; execution_id names it.`, {
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

export const shutsDown = (started?: Started): CallRefused => unavailable('The worker shuts down.', started);

const keyRefused = (executionId?: string): CallRefused =>
  new CallRefused(502, 'unauthorized', 'The platform does not know the TRAWL_CALL_ACCOUNT_KEY of this worker.', {
    executionId,
  });

/** Of `fetch`, what is behind its own "fetch failed". */
function causeOf(error: unknown): { name: string; code: string; message: string } {
  const { cause = error } = error as { cause?: unknown };
  const { name, code, message } = cause as NodeJS.ErrnoException;
  return { name, code: String(code), message };
}

/** Ends early when `signal` is aborted, which whoever asks next sees. */
const pause = (signal: AbortSignal): Promise<void> => delay(LOOK_MS, undefined, { signal }).catch(() => {});
