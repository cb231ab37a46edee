import { SHARES } from '@trawl/contracts';
import { NpmTurns, type QueuePlace, SLOW_MS } from '@trawl/libraries';
import { ApiError } from '../../../platform/common/errors.js';
import { KeyedCounts } from '../../../platform/common/shares/keyed-counts.js';

const CONCURRENCY = 2;
/** How many resolutions that wait for a slow registry continue beside these. Each has a process. */
const MAX_SLOW = 6;
const MAX_QUEUED = 100;
/** Short, because most resolutions take seconds. */
const RETRY_AFTER_SECONDS = 2;

/** The npm registry failed, or did not answer in time. */
export class RegistryFailed extends ApiError {}

/** Limits how many resolutions of libraries are queued, and how many run at the same time. See `NpmTurns`. */
export class ResolutionQueue {
  /** Tests set lower limits. */
  readonly limits = { atOnce: CONCURRENCY, maxSlow: MAX_SLOW, slowMs: SLOW_MS };
  readonly #turns = new NpmTurns(this.limits);
  /** The resolutions of each account that run or wait here. */
  readonly #counts = new KeyedCounts();

  /**
   * Runs a resolution as soon as it has a place.
   *
   * @param resolve gets a function that frees the place for other accounts before the resolution ends. Its own account
   *   still waits for its end.
   * @param abort removes the resolution from the queue. A running one handles the signal itself.
   * @param moved is called when the place in the queue has changed, and with null when the resolution begins.
   * @throws {ApiError} 429 `too_many_requests` when the account has too many resolutions in its queue, 503 when all
   *   accounts together have too many; the abort's reason after an abort.
   */
  async run<Result>(
    ownerId: string,
    resolve: (onSlow: () => void) => Promise<Result>,
    abort: AbortController,
    moved: (place: QueuePlace | null) => void,
  ): Promise<Result> {
    const leave = this.#admit(ownerId);
    const { signal } = abort;
    let begin = (): void => {};
    const turn = { begin: () => begin(), moved, endSlow: () => abort.abort(tooSlow()) };
    try {
      await new Promise<void>((fulfil, reject) => {
        begin = fulfil;
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        this.#turns.add(ownerId, turn);
      });
      signal.throwIfAborted();
      return await resolve(() => this.#turns.slow(turn));
    } finally {
      this.#turns.remove(turn);
      leave();
    }
  }

  #admit(ownerId: string): () => void {
    const count = this.#counts.of(ownerId);
    if (count > SHARES.buildsQueued) {
      throw new ApiError(
        'too_many_requests',
        `You have ${count} builds that resolve libraries or wait to do so. Wait until some finish, then retry.`,
        undefined,
        RETRY_AFTER_SECONDS,
      );
    }
    if (this.#counts.total >= MAX_QUEUED) {
      throw new ApiError('service_unavailable', 'Too many bundles are being built. Try again in a few seconds.');
    }
    return this.#counts.add(ownerId);
  }
}

const tooSlow = (): RegistryFailed =>
  new RegistryFailed(
    'service_unavailable',
    'The libraries in package.json could not be resolved: the npm registry answers too slowly, and Trawl ended this resolution for newer ones. Try again in a few minutes.',
  );
