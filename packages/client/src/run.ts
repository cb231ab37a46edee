import type { Api } from './api.js';
import type { Echo, Execution, LogOptions, Row, RunRowOptions } from './entities.js';
import { RunError, unwrap } from './errors.js';
import { followEchoes } from './live-log.js';
import { sleep } from './retry.js';

/** How long one call lets the API wait for the end of a run, in ms. It is below the timeouts of common proxies. */
export const CALL_WAIT_MS = 25_000;
/** Most items that the API returns at once. */
const PAGE = 1_000;
/**
 * How often echoes after a gap are read again. The missing ones are on their way from the worker to the saved ones, or
 * Trawl has dropped them.
 */
const MAX_GAP_READS = 3;
const GAP_DELAY_MS = 300;

/** How often `changes` reads the run, in ms. */
const CHANGES_MS = 1_000;

/** How far the rows of an attempt are read. The last page may still grow. */
interface RowsPlace {
  id: string;
  /** Start of the page that is read next. */
  after?: string | undefined;
  /** Ids of the rows that were yielded: all of a retry, otherwise those of this page. */
  yielded: Set<unknown>;
  /** Whether rows of an attempt before can move to this one. They keep their `_id`, by which rows are sorted. */
  isRetry: boolean;
}

/** A run on the platform. If Trawl retries the run, its latest attempt counts. */
export class Run<Output = unknown> {
  /** Resolves when Trawl has accepted the run. Rejects with a `TrawlError` if it refused it. */
  readonly started: Promise<Execution>;
  readonly #api: Api;

  constructor(api: Api, started: Promise<Execution>) {
    this.#api = api;
    this.started = started;
    // Each method throws its error. A program that starts several runs and awaits one after the other must not end
    // before it can catch it.
    started.catch(() => {});
  }

  /** Resolves to the id of the run's first attempt. */
  async id(): Promise<string> {
    return (await this.started).id;
  }

  /** Resolves to the latest attempt as it is now. */
  async execution(): Promise<Execution> {
    let execution = await this.#read(await this.id());
    for (let next = await this.#retryOf(execution); next; next = await this.#retryOf(execution)) execution = next;
    return execution;
  }

  /**
   * Waits until the run has ended, however it ended. The run continues if you abort.
   *
   * @throws {TrawlError} if Trawl refused the run, or is unreachable for too long
   */
  async wait({ signal }: { signal?: AbortSignal } = {}): Promise<Execution> {
    let execution = await this.started;
    for (;;) {
      if (!isEnded(execution)) {
        execution = await this.#read(execution.id, signal, CALL_WAIT_MS);
        continue;
      }
      const next = await this.#retryOf(execution, signal);
      if (!next) return execution;
      execution = next;
    }
  }

  /**
   * Waits until the run has ended and resolves to what `main.js` returned.
   *
   * @throws {RunError} if the run ended in another way
   * @throws {TrawlError} as `wait` does
   */
  async output(options?: { signal?: AbortSignal }): Promise<Output> {
    const execution = await this.wait(options);
    if (execution.action !== 'end') throw new RunError(execution);
    return execution.output as Output;
  }

  /** Yields the run's echoes in order, each once, until the run has ended. Those of a retry follow with `seq` from 1. */
  async *logs({ follow = true, afterSeq = 0, signal }: LogOptions = {}): AsyncGenerator<Echo, void> {
    let execution: Execution | null = await this.started;
    if (!follow) return yield* this.#savedLogs(execution.id, afterSeq, signal);
    for (let seq = afterSeq; execution; seq = 0) {
      yield* followEchoes(this.#api, execution.id, seq, signal);
      execution = await this.#retryOf(await this.#read(execution.id, signal), signal);
    }
  }

  /**
   * Yields the run as it is now, and again after each change of its attempt, its state or the reason why it waits, until
   * it has ended. Looks once a second, so that it misses shorter changes, but no attempt.
   */
  changes({ signal }: { signal?: AbortSignal } = {}): AsyncGenerator<Execution, void> {
    return this.#changes(({ waiting_for: waits }) => [waits?.reason, waits?.place, waits?.packages], signal);
  }

  /**
   * Yields the rows that the run has stored with `dataset.push` so far, in the order of pushing. Those of earlier
   * attempts are left out.
   *
   * With `follow`, continues with new rows until the run has ended, and yields those of each attempt. An attempt that
   * stores a later row with the same key does not yield it again.
   */
  async *rows<Item = Row>({ follow = false, signal }: RunRowOptions = {}): AsyncGenerator<Item, void> {
    const startOf = ({ id, attempt }: Execution): RowsPlace => ({ id, yielded: new Set(), isRetry: attempt > 1 });
    if (!follow) return yield* this.#rowsAfter<Item>(startOf(await this.execution()), signal);
    let place: RowsPlace | undefined;
    for await (const run of this.#changes(({ rows }) => [rows], signal)) {
      if (run.id !== place?.id) place = startOf(run);
      // Finds the rows that have moved to this attempt, before the place.
      if (place.isRetry && isEnded(run)) place.after = undefined;
      // Most runs have no rows, and their collection need not exist.
      if (run.rows > 0) yield* this.#rowsAfter<Item>(place, signal);
    }
  }

  /** Tells the skript to stop. Trawl ends it two seconds later. */
  async stop(): Promise<void> {
    await unwrap(this.#api.POST('/joint-api/skript-execution/{skriptExecution_id}/stop', pathOf(await this.id())));
  }

  /** Freezes the run until `resume`. */
  async pause(): Promise<void> {
    await unwrap(this.#api.POST('/joint-api/skript-execution/{skriptExecution_id}/pause', pathOf(await this.id())));
  }

  async resume(): Promise<void> {
    await unwrap(this.#api.POST('/joint-api/skript-execution/{skriptExecution_id}/resume', pathOf(await this.id())));
  }

  /**
   * Answers a question of the run.
   *
   * @param seq of the echo of type `question`
   * @param answer any text, or exactly one of the choices of the question
   * @returns whether the run has the answer; otherwise Trawl delivers it when the worker is connected
   * @throws {TrawlError} 409 if the question is closed; 404 if there is no such question, or the run has ended
   */
  async answer(seq: number, answer: string): Promise<boolean> {
    // Unlike the calls above, this one needs the id of the attempt that asked.
    const { id } = await this.execution();
    const call = { ...pathOf(id), body: { seq, answer } };
    const path = '/joint-api/skript-execution/{skriptExecution_id}/answers';
    return (await unwrap(this.#api.POST(path, call))).delivered;
  }

  /** Yields the echoes that there are now. */
  async *#savedLogs(id: string, afterSeq: number, signal?: AbortSignal): AsyncGenerator<Echo, void> {
    let seq = afterSeq;
    let gapReads = 0;
    for (;;) {
      const { items, next_after_seq } = await this.#page(id, seq, signal);
      let isGap = false;
      for (const echo of items) {
        isGap = echo.seq !== seq + 1 && gapReads < MAX_GAP_READS;
        if (isGap) break;
        yield echo;
        seq = echo.seq;
        gapReads = 0;
      }
      if (!isGap && next_after_seq === null) return;
      if (!isGap) continue;
      gapReads += 1;
      await sleep(GAP_DELAY_MS, signal);
    }
  }

  /** Yields the run when its attempt, its state or one of the given values has changed. */
  async *#changes(valuesOf: (run: Execution) => unknown[], signal?: AbortSignal): AsyncGenerator<Execution, void> {
    let execution = await this.#read(await this.id(), signal);
    for (let seen = ''; ; ) {
      const state = JSON.stringify([execution.id, execution.action, ...valuesOf(execution)]);
      if (state !== seen) yield execution;
      seen = state;
      const next = isEnded(execution)
        ? await this.#retryOf(execution, signal)
        : await this.#read(execution.id, signal, CHANGES_MS);
      if (!next) return;
      execution = next;
    }
  }

  /** Yields the rows after a place, and moves the place. */
  async *#rowsAfter<Item>(place: RowsPlace, signal?: AbortSignal): AsyncGenerator<Item, void> {
    for (;;) {
      const params = { path: { skriptExecution_id: place.id }, query: { limit: PAGE, after: place.after } };
      const path = '/joint-api/skript-execution/{skriptExecution_id}/rows';
      const page = await unwrap(this.#api.GET(path, { params, signal }), signal);
      // The type includes the other formats of the route, which this call does not ask for.
      const { items, next } = page as Extract<typeof page, object>;
      const fresh = items.filter(({ _id }) => !place.yielded.has(_id));
      for (const { _id } of fresh) place.yielded.add(_id);
      yield* fresh as Item[];
      if (next === undefined) return;
      place.after = next;
      if (!place.isRetry) place.yielded.clear();
    }
  }

  #page(id: string, afterSeq: number, signal?: AbortSignal) {
    const query = { limit: PAGE, after_seq: afterSeq };
    const params = { path: { execution_id: id }, query };
    return unwrap(this.#api.GET('/joint-api/echoes/{execution_id}/list', { params, signal }), signal);
  }

  #read(id: string, signal?: AbortSignal, wait_ms = 0): Promise<Execution> {
    const params = { path: { skriptExecution_id: id }, query: { wait_ms } };
    return unwrap(this.#api.GET('/joint-api/skript-execution/{skriptExecution_id}', { params, signal }), signal);
  }

  /** Resolves to the attempt after a failed one; null if Trawl does not retry it. */
  async #retryOf({ action, id, retry_of, attempt }: Execution, signal?: AbortSignal): Promise<Execution | null> {
    if (action !== 'error') return null;
    const query = { retry_of: retry_of ?? id, sort: 'created_at', limit: PAGE };
    const call = this.#api.GET('/joint-api/skript-execution/list', { params: { query }, signal });
    const list = await unwrap(call, signal);
    const next = list.items.find(other => other.attempt === attempt + 1);
    return next ? this.#read(next.id, signal) : null;
  }
}

const pathOf = (skriptExecution_id: string) => ({ params: { path: { skriptExecution_id } } });

export const isEnded = ({ action }: Pick<Execution, 'action'>): boolean => action !== 'start' && action !== 'pause';
