import type { Socket } from 'node:net';
import { beginSpan, isInSpan } from '@trawl/tracing';
import { Client, type ClientConfig } from 'pg';
import { preferPostgres } from '../common/processor-priority.js';

const MAX_STATEMENT_CHARS = 2_000;

type Query = (...parts: unknown[]) => unknown;

/**
 * A pooled connection with an error listener. While the pool hands over a connection, nothing else listens for its
 * errors for a moment. If PostgreSQL crashes in this moment, Node would exit because of an unhandled 'error' event. The
 * listener may ignore the error, because the next query on a broken connection fails anyway.
 *
 * Makes a span of each statement inside a traced call, without its values.
 */
export class PooledClient extends Client {
  constructor(config?: string | ClientConfig) {
    super(config);
    this.on('error', () => {});
    const query = this.query.bind(this) as Query;
    this.query = ((...parts: unknown[]) => (isInSpan() ? traced(query, parts) : query(...parts))) as Client['query'];
  }
}

function traced(query: Query, parts: unknown[]): unknown {
  const [first] = parts;
  const text = String(typeof first === 'string' ? first : (first as { text?: string } | undefined)?.text);
  const span = beginSpan(text.trimStart().split(/\s/, 1)[0]?.toUpperCase() || 'query', {
    kind: 'CLIENT',
    attributes: { 'db.system.name': 'postgresql', 'db.query.text': text.slice(0, MAX_STATEMENT_CHARS) },
  });
  const ended = (error: { code?: string } | null) => {
    // The message of an error may contain values.
    if (error) span?.fail(`PostgreSQL error ${error.code}`);
    span?.end();
  };
  const last = parts.at(-1);
  if (typeof last === 'function') {
    const callback = (error: Error | null, ...rest: unknown[]) => {
      ended(error as { code?: string } | null);
      last(error, ...rest);
    };
    return query(...parts.slice(0, -1), callback);
  }
  const result = query(...parts);
  if (result instanceof Promise) result.then(() => ended(null), ended);
  // With a cursor, the span ends when the statement is sent.
  else span?.end();
  return result;
}

/** What `pg` does not declare. */
interface Internals {
  /** Id of PostgreSQL's process for this connection. */
  processID: number;
  connection: { stream: Socket };
  /** Whether no query is in progress. */
  readyForQuery: boolean;
}

/**
 * A pooled connection that closes when a query gets no answer for `silenceMs`. PostgreSQL ends each statement after
 * `statement_timeout`, so after a longer silence the connection is broken, for example because a firewall has forgotten
 * it. Otherwise its query would wait until the operating system gives up, after a quarter of an hour.
 *
 * With `isPreferred`, PostgreSQL's process gets a processor before other programs of this machine.
 * See docs/decisions/0285-broken-connections-to-databases.md.
 */
export class WatchedClient extends PooledClient {
  constructor(config: ClientConfig & { silenceMs: number; isPreferred: boolean }) {
    super(config);
    this.once('connect', () => {
      const { connection, processID } = this as unknown as Internals;
      const { stream } = connection;
      if (config.isPreferred) preferPostgres(processID);
      stream.setTimeout(config.silenceMs, () => {
        if (!(this as unknown as Internals).readyForQuery) stream.destroy();
      });
    });
  }
}
