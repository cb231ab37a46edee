const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 5_000;
const UNAVAILABLE = [502, 503, 504];

type Fetch = (request: Request) => Promise<Response>;

/**
 * Returns a `fetch` that retries while the platform is unreachable, unavailable or limits the rate, for at most
 * `retryForMs` after the first failure. It repeats only calls that do no harm if the first one arrived after all.
 */
export function retryingFetch(fetch: Fetch, retryForMs: number): Fetch {
  return async request => {
    // A call may wait long for the end of a run before it fails, so the time counts from the failure.
    let deadline: number | undefined;
    for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(2 * delayMs, MAX_DELAY_MS)) {
      // A clone, because the body of a request can be sent only once.
      const answer = await fetch(request.clone()).catch((error: Error) => {
        // The reason of an abort may be anything, also a text.
        if (request.signal.aborted) throw error;
        return error;
      });
      const waitMs = answer instanceof Error ? delayMs : retryAfterMs(answer, delayMs);
      deadline ??= Date.now() + retryForMs;
      const mayRetry = shouldRetry(request, answer) && Date.now() + waitMs < deadline;
      if (mayRetry) await sleep(waitMs, request.signal);
      else if (answer instanceof Error) throw answer;
      else return answer;
    }
  };
}

function shouldRetry(request: Request, answer: Response | Error): boolean {
  // A call over the rate limit was not carried out, whatever its method is. One over a quota needs the user.
  if (!(answer instanceof Error) && answer.status === 429) return answer.headers.has('retry-after');
  return isRepeatable(request) && (answer instanceof Error || UNAVAILABLE.includes(answer.status));
}

/** Returns whether a second arrival of the call has no effect. */
function isRepeatable({ method, url, headers }: Request): boolean {
  if (headers.has('idempotency-key') || method === 'PUT') return true;
  const { pathname } = new URL(url);
  if (method === 'POST') return /\/(stop|pause|resume)$/.test(pathname);
  // This GET starts a run each time.
  return method === 'GET' && !pathname.endsWith('/single-worker/start');
}

function retryAfterMs(answer: Response, otherwise: number): number {
  const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds * 1_000 : otherwise;
}

/** Resolves after a time. Rejects as `fetch` does when the signal aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}
