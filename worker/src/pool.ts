import type { Environment } from '@trawl/contracts';
import type { Logger } from 'pino';
import type { Executor, RunProcess } from './executor/executor.js';

/** A process that belongs to one run until it is given back. */
export interface TakenProcess {
  readonly process: RunProcess;
  /** Ends it and all that is left of it; resolves when nothing is. */
  end(): Promise<void>;
}

/** Processes for runs, each in a place of its own. */
export class Pool {
  readonly #executor: Executor;
  readonly #log: Logger;
  readonly #free: number[];

  constructor(executor: Executor, places: number, log: Logger) {
    this.#executor = executor;
    this.#log = log;
    this.#free = Array.from({ length: places }, (_, place) => place);
  }

  /** @throws Error when no process can be started. */
  async take(environment: Environment): Promise<TakenProcess> {
    const place = this.#free.shift();
    if (place === undefined) throw new Error('Every place for a process on this worker is taken.');
    try {
      const process = await this.#executor.start(place, environment);
      return { process, end: () => this.#end(process, place) };
    } catch (error) {
      await this.#giveBack(place);
      throw error;
    }
  }

  async #end(process: RunProcess, place: number): Promise<void> {
    await process.kill();
    await this.#giveBack(place);
  }

  async #giveBack(place: number): Promise<void> {
    try {
      await this.#executor.clear(place);
      this.#free.push(place);
    } catch (error) {
      this.#log.error({ place, reason: String(error) }, 'a place for runs is out of use until the next start');
    }
  }
}
