import { AsyncLocalStorage } from 'node:async_hooks';

/** Fields of all log lines that a piece of work writes. */
export interface LogFields {
  /** Id of the request, as in the header `X-Request-Id` and in error bodies. */
  request_id?: string;
  worker?: string;
  execution?: string;
  job?: string;
}

const context = new AsyncLocalStorage<LogFields>();

/**
 * Calls `work`. All log lines that it writes, also after an `await`, have these fields instead of those of the code
 * around it.
 */
export const withLogFields = <Result>(fields: LogFields, work: () => Result): Result => context.run(fields, work);

/** Returns a copy of the current fields; pino adds the line's own fields to it. */
export const logFields = (): LogFields => ({ ...context.getStore() });
