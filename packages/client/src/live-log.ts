import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { Api } from './api.js';
import type { Echo } from './entities.js';
import { unwrap } from './errors.js';
import { sleep } from './retry.js';

const RECONNECT_MS = 1_000;

/**
 * Yields the echoes of one attempt, each once and in order, until it has ended. Reconnects after the last echo that
 * arrived if the connection breaks or closes before the end.
 *
 * @throws {TrawlError} if Trawl refuses a connection, or is unreachable for too long
 */
export async function* followEchoes(
  api: Api,
  execution_id: string,
  afterSeq: number,
  signal?: AbortSignal,
): AsyncGenerator<Echo, void> {
  let seq = afterSeq;
  for (;;) {
    const params = { path: { execution_id }, header: { 'Last-Event-ID': seq } };
    const call = api.GET('/joint-api/echoes/{execution_id}/stream', { params, signal, parseAs: 'stream' });
    for await (const { event, data } of eventsOf(await unwrap(call, signal), signal)) {
      if (event === 'end') return;
      const echo: Echo = JSON.parse(data);
      seq = echo.seq;
      yield echo;
    }
    await sleep(RECONNECT_MS, signal);
  }
}

/** Yields the events of one connection until it closes, breaks or is aborted. */
async function* eventsOf(body: Response['body'], signal?: AbortSignal) {
  if (!body) return;
  try {
    yield* body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  } catch (error) {
    // The caller reconnects after any other error, because only the connection can fail here.
    if (signal?.aborted) throw error;
  }
}
