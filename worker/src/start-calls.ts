import type { Action, ApiErrorCode, RunErrorCode } from '@trawl/contracts';
import { isLive } from '@trawl/contracts';

/** What waits for longer is asked for again: no proxy on the way holds an answer back for so long. */
const WAIT_MS = 120_000;
const LOOK_MS = 1_000;
/** A platform that takes longer to answer than that is not there. */
const ANSWER_MS = WAIT_MS + 30_000;

export interface StartCall {
  skript_id: string;
  input?: unknown;
  inputSecret?: unknown;
  input_id?: string | undefined;
  inputSecret_id?: string | undefined;
  force?: boolean | undefined;
  timeout_ms?: number | undefined;
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
   * @returns what main.js returned, as JSON text.
   * @throws CallRefused for whatever else came of it, also when `signal` ends the waiting.
   */
  async run(call: StartCall, signal: AbortSignal): Promise<string> {
    const worker_id = this.#options.workerId();
    if (worker_id === null) throw away('The worker is not connected to the platform yet, so nothing was started.');
    let execution = await this.#start(call, worker_id, signal);
    const first = execution.retry_of ?? execution.id;
    while (isLive(execution.action)) {
      await pause(LOOK_MS, signal);
      if (signal.aborted) throw away('Nobody waits for the run here any more; it goes on.', first);
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
    const body = isStored ? undefined : JSON.stringify({ worker_id, skript_id, input, inputSecret });
    const path = `/joint-api/execute-skript/single-worker/start?${query}`;
    const { status, answer } = await this.#ask(path, signal, body).catch(error => {
      throw away(`The platform did not answer, so it is not known whether the skript was started: ${reasonOf(error)}`);
    });
    if (status === 200 || status === 202) return answer as unknown as Execution;
    if (status === 401) {
      throw new CallRefused(
        502,
        'unauthorized',
        'The platform does not know the TRAWL_CALL_ACCOUNT_KEY of this worker.',
      );
    }
    const { error_message, error_code, details } = answer as Refusal;
    const isRefusal = status >= 400 && typeof error_code === 'string';
    if (!isRefusal) throw away(`The platform answered ${status}.`);
    throw new CallRefused(status, error_code, String(error_message), { executionId: details?.execution_id });
  }

  /** The try that goes on or was the last; the one that is known while the platform does not answer. */
  async #latest(first: string, known: Execution, signal: AbortSignal): Promise<Execution> {
    try {
      const retries = await this.#ask(`/joint-api/skript-execution/list?retry_of=${first}&limit=1`, signal);
      const { items = [] } = retries.answer as { items?: { id: string }[] };
      const { status, answer } = await this.#ask(`/joint-api/skript-execution/${items[0]?.id ?? first}`, signal);
      if (status === 200) return answer as unknown as Execution;
      if (status === 404)
        throw new CallRefused(404, 'not_found', 'The run was deleted meanwhile.', { executionId: first });
    } catch (error) {
      if (error instanceof CallRefused) throw error;
    }
    return known;
  }

  async #ask(path: string, signal: AbortSignal, body?: string): Promise<{ status: number; answer: object }> {
    const response = await fetch(this.#options.url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${this.#options.accountKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body ?? null,
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
    });
    return { status: response.status, answer: (await response.json()) as object };
  }
}

const away = (message: string, executionId?: string): CallRefused =>
  new CallRefused(503, 'service_unavailable', message, { executionId, headers: { 'retry-after': '1' } });

function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: unknown };
  return String(cause instanceof Error ? cause.message : error);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, ms);
    const wake = () => {
      clearTimeout(timer);
      resolve();
    };
    if (signal.aborted) wake();
    else signal.addEventListener('abort', wake, { once: true });
  });
}
