import { AsyncLocalStorage } from 'node:async_hooks';
import { traceparent } from '@trawl/tracing';

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

/** Returns a copy of the current fields, with the id of the trace if there is one. Pino adds the line's own fields. */
export function logFields(): LogFields & { trace_id?: string } {
  const trace_id = traceparent()?.split('-')[1];
  return { ...context.getStore(), ...(trace_id !== undefined && { trace_id }) };
}
