/** How long a call waits for the beginning of its answer, in ms. */
const ANSWER_MS = 60_000;
/** An upload takes as long as the connection needs, a start and a bundle as long as npm needs. */
const LONG_CALL = /\/(upload|bundle|start)$/;
const MAX_WAIT_MS = 3_600_000;

/**
 * As `fetch`, for a server that accepts a connection and never answers: `fetch` alone waits five minutes, as it still
 * does for long calls. The body of the answer may take any time, so that a live log can be followed.
 *
 * @throws {Error} if the answer has not begun within `limitMs`, and `wait_ms` of the call in addition
 */
export async function fetchAnswer(request: Request, limitMs = ANSWER_MS): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  if (LONG_CALL.test(pathname)) return fetch(request);
  const waitMs = Math.min(Number(searchParams.get('wait_ms')) || 0, MAX_WAIT_MS);
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new Error('it does not answer')), limitMs + waitMs);
  try {
    return await fetch(request, { signal: AbortSignal.any([request.signal, limit.signal]) });
  } finally {
    clearTimeout(timer);
  }
}
