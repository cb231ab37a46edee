import { ApiError } from '../common/errors.js';

const MAX_WAITING = 100;

/** Lets a few builds go on at a time; the others wait for their turn. */
export class BuildTurns {
  readonly #waiting: (() => void)[] = [];
  #free: number;
  #closed = false;

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** @throws {ApiError} 503 when many wait, and when the backend is stopping. */
  async run<Result>(build: () => Promise<Result>): Promise<Result> {
    if (this.#waiting.length >= MAX_WAITING) {
      throw new ApiError('service_unavailable', 'Many bundles are being built right now. Try again in a few seconds.');
    }
    if (this.#free === 0) await new Promise<void>(resolve => this.#waiting.push(resolve));
    else this.#free -= 1;
    try {
      if (this.#closed) throw stopping();
      const result = await build();
      // What a stopping backend has ended is no fault of the skript's.
      if (this.#closed) throw stopping();
      return result;
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }

  close(): void {
    this.#closed = true;
    for (const next of this.#waiting.splice(0)) next();
  }
}

const stopping = (): ApiError =>
  new ApiError('service_unavailable', 'The platform is stopping. Try again in a few seconds.');
