import type { Execution } from './entities.js';
import type { components } from './schema.js';

type ErrorBody = components['schemas']['ErrorBody'];

/** A code of the API, or `unreachable` if no answer of Trawl arrived. */
export type ErrorCode = ErrorBody['error_code'] | 'unreachable';

/** A call that failed. `message` is the API's own and can be shown as it is. */
export class TrawlError extends Error {
  override readonly name = 'TrawlError';

  constructor(
    message: string,
    /** Status of the HTTP response; 0 if the server was unreachable. */
    readonly status: number,
    /** Null if something else than Trawl answered, such as a proxy. */
    readonly code: ErrorCode | null,
    /** The API adds it to some errors, such as a message for each wrong field. */
    readonly details?: unknown,
    /** Names the call in the server's logs. */
    readonly requestId?: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A run that ended with an error, or that was stopped. Its `stack` is the one of the skript. */
export class RunError extends Error {
  override readonly name = 'RunError';
  /** Why the run ended with an error; `stopped` if it was stopped. */
  readonly code: NonNullable<Execution['error_code']> | 'stopped';

  constructor(readonly execution: Execution) {
    const isStopped = execution.action === 'stop';
    const text = execution.error_stack ?? `The run of ${execution.skript.name} was stopped.`;
    super(text.split('\n', 1)[0]);
    this.code = isStopped ? 'stopped' : (execution.error_code ?? 'exception');
    if (execution.error_stack) this.stack = execution.error_stack;
  }
}

interface Answer<Data> {
  data?: Data;
  error?: unknown;
  response: Response;
}

/**
 * Resolves to the body of a successful answer.
 *
 * @param signal the one of the call: if it is aborted, its reason is thrown
 * @throws {TrawlError} for any other answer, and if there was none
 */
export async function unwrap<Data>(call: Promise<Answer<Data>>, signal?: AbortSignal): Promise<Data> {
  let answer: Answer<Data>;
  try {
    answer = await call;
  } catch (error) {
    if (signal?.aborted || (error as Error).name === 'AbortError') throw error;
    throw unreachable(error);
  }
  const { data, error, response } = answer;
  if (!response.ok) throw toTrawlError(error, response.status);
  return data as Data;
}

function unreachable(error: unknown): TrawlError {
  const { cause, message } = error as { cause?: { code?: string; message?: string }; message?: string };
  const reason = cause?.code ?? cause?.message ?? message ?? 'no answer';
  const text = `Trawl is unreachable (${reason}). Check the address, your connection, and that Trawl is running.`;
  return new TrawlError(text, 0, 'unreachable', undefined, undefined, { cause: error });
}

function toTrawlError(body: unknown, status: number): TrawlError {
  const { error_message, error_code, details, request_id } = (
    typeof body === 'object' && body !== null ? body : {}
  ) as Partial<ErrorBody>;
  const message =
    typeof error_message === 'string' && error_message !== ''
      ? error_message
      : `The server answered with status ${status} and no message of Trawl. Check the address.`;
  return new TrawlError(message, status, error_code ?? null, details, request_id);
}
