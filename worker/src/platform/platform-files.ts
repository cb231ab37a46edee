import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

/** How long a download is retried while the platform is unreachable. A restart of the platform takes less time. */
const MAX_WAIT_MS = 60_000;
/** Time for the begin of an answer. If the backend behind a proxy hangs, the next attempt may reach another one. */
const ANSWER_MS = 10_000;
/** Time for the body of an answer. */
const DOWNLOAD_MS = 30_000;
const RETRY_MS = 500;
const MAX_PROBLEM_CHARS = 500;

/** The platform's folders of files, each named by the SHA-256 of its text. */
export type PlatformFolder = 'bundles' | 'locks';

/** Error: the platform does not provide the file. The message says why. */
export class FileUnavailable extends Error {}

/** Downloads files that a run needs and that are too large for its offer. */
export class PlatformFiles {
  readonly #url: string;
  #key: string;

  constructor(
    url: string,
    key: string,
    private readonly answerMs = ANSWER_MS,
  ) {
    this.#url = url;
    this.#key = key;
  }

  /** Uses this key for the next downloads. */
  useKey(key: string): void {
    this.#key = key;
  }

  /**
   * Downloads a file, and retries while the platform is unreachable.
   *
   * @throws FileUnavailable if the platform does not provide the file; the signal's reason if the signal is aborted
   */
  async text(folder: PlatformFolder, hash: string, signal: AbortSignal): Promise<string> {
    const deadline = performance.now() + MAX_WAIT_MS;
    for (;;) {
      const { text, problem, final } = await this.#fetch(folder, hash, signal);
      if (text !== undefined) return text;
      signal.throwIfAborted();
      if (final || performance.now() > deadline) {
        throw new FileUnavailable(`The worker could not load ${folder}/${hash} from the platform: ${problem}.`);
      }
      await delay(RETRY_MS);
    }
  }

  /**
   * Sends a request to `/worker-api`, and again while the platform is unreachable.
   *
   * @param begin makes the options of each attempt
   * @param maxMs time for the request and the body of its answer, with all attempts
   * @throws FileUnavailable if the platform refuses the request
   */
  async request(path: string, begin: () => RequestInit, signal: AbortSignal, maxMs: number): Promise<Response> {
    // The loop refers to it to the end: Node 20 collects a timeout that only `AbortSignal.any` knows, and so never aborts.
    const limit = AbortSignal.timeout(maxMs);
    const limited = AbortSignal.any([signal, limit]);
    for (;;) {
      let problem: string;
      let isFinal = false;
      try {
        const { headers, ...options } = begin();
        const response = await fetch(`${this.#url}/worker-api/${path}`, {
          ...options,
          headers: { ...headers, authorization: `Bearer ${this.#key}` },
          signal: limited,
        });
        if (response.ok) return response;
        problem = `it answered ${response.status}: ${(await response.text()).slice(0, MAX_PROBLEM_CHARS)}`;
        isFinal = response.status < 500 && response.status !== 429;
      } catch (error) {
        signal.throwIfAborted();
        const { cause } = error as { cause?: unknown };
        problem = (cause instanceof Error ? cause : (error as Error)).message;
      }
      if (isFinal || limit.aborted) {
        throw new FileUnavailable(`The request to the platform for ${path.split('?')[0]} failed: ${problem}.`);
      }
      await delay(RETRY_MS, undefined, { signal });
    }
  }

  async #fetch(
    folder: PlatformFolder,
    hash: string,
    signal: AbortSignal,
  ): Promise<{ text?: string; problem?: string; final?: boolean }> {
    const limit = new AbortController();
    const abort = () => limit.abort(new Error('it did not answer in time'));
    let timer = setTimeout(abort, this.answerMs);
    try {
      const response = await fetch(`${this.#url}/worker-api/${folder}/${encodeURIComponent(hash)}`, {
        headers: { authorization: `Bearer ${this.#key}` },
        signal: AbortSignal.any([signal, limit.signal]),
      });
      clearTimeout(timer);
      timer = setTimeout(abort, DOWNLOAD_MS); // The body may take longer.
      if (response.ok) {
        const text = await response.text();
        const isWhole = createHash('sha256').update(text).digest('hex') === hash;
        return isWhole ? { text } : { problem: 'the content does not match its hash' };
      }
      await response.body?.cancel();
      return { problem: `it answered ${response.status}`, final: response.status < 500 && response.status !== 429 };
    } catch (error) {
      const { cause } = error as { cause?: unknown };
      return { problem: (cause instanceof Error ? cause : (error as Error)).message };
    } finally {
      clearTimeout(timer);
    }
  }
}
