import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import {
  ECHO_CSV_COLUMNS,
  type Echo,
  type EchoChunk,
  type FinishAnswer,
  type FrameRefusal,
  isLive,
} from '@trawl/contracts';
import type { Logger } from 'pino';
import { ApiError } from '../../platform/common/errors.js';
import { LOGGER } from '../../platform/common/logger.js';
import { Metrics } from '../../platform/common/metrics.service.js';
import { type QuotaRefusal, quotaText } from '../../platform/quotas/quota-refusal.js';
import type { ExecutionDto } from '../executions/records/executions.dto.js';
import { ExecutionsService } from '../executions/records/executions.service.js';
import { askWorker } from '../workers/connections/ask-worker.js';
import { WorkerConnections } from '../workers/connections/worker-connections.service.js';
import { filterOf, type StoredChunk, toCsv } from './chunk-reader.js';
import { ChunkReaders } from './chunk-readers.service.js';
import { type ChunkRow, EchoChunksRepository } from './echo-chunks.repository.js';
import type { EchoesListQuery, EchoListDto } from './echoes.dto.js';
import { READ_TIMEOUT_MS, RemoteEchoes } from './remote-echoes.service.js';
import { ChunkStores } from './stores/chunk-stores.service.js';
import { warningChunk } from './warning-chunk.js';

/** To limit the work of a call, a search stops after this many chunks and returns where the next call must continue. */
const MAX_CHUNKS_PER_CALL = 16;
/** A run saves at most 64 chunks of full size. Only a run of many minutes has more, because its chunks are smaller. */
const MAX_COUNTED_CHUNKS = 100;
/** Greater than the number of any chunk. */
const MAX_CHUNK = 2_147_483_647;
/** To limit the work of a call, so many pages of unsaved echoes are read from the worker. */
const MAX_WORKER_PAGES = 8;
/** Number of echoes to ask a worker for. It sends fewer if they would not fit into a frame. */
const MAX_UNSAVED = 10_000;

@Injectable()
export class EchoesService {
  constructor(
    private readonly chunks: EchoChunksRepository,
    private readonly stores: ChunkStores,
    private readonly readers: ChunkReaders,
    private readonly executions: ExecutionsService,
    private readonly connections: WorkerConnections,
    private readonly remote: RemoteEchoes,
    private readonly metrics: Metrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Saves a chunk of a run's echoes, even if the run has already ended with `worker_lost`. A chunk that is already
   * saved stays unchanged. Above the account's quota, saves a marker instead of the chunk.
   * @param ended the answer to the end of the run, if the chunk came with it.
   */
  async save(workerId: string, chunk: EchoChunk, ended?: Promise<FinishAnswer>): Promise<{ n: number } | FrameRefusal> {
    const gz = Buffer.from(chunk.gz.buffer, chunk.gz.byteOffset, chunk.gz.byteLength);
    if (createHash('sha256').update(gz).digest('hex') !== chunk.sha || chunk.to_seq < chunk.from_seq) {
      return { error: { code: 'invalid_frame', message: 'The chunk does not match its checksum.' } };
    }
    // This saves nothing if the run was deleted. The worker still gets a normal answer, so that it deletes its own copy
    // of the chunk.
    const saved = await this.#store(workerId, chunk, gz);
    if (saved && 'error' in saved) return saved;
    if (saved) {
      const msg = `Trawl did not save the echoes before this line. ${quotaText(saved)}`;
      await this.chunks.insertMarker(chunk, await warningChunk(chunk.to_seq, new Date(), msg));
    } else {
      this.metrics.echoBytes.inc(gz.length);
    }
    // The end of the run has recorded the number of its last echo.
    if ((await ended)?.result !== 'ok') await this.executions.noteSavedEchoes(workerId, chunk.id, chunk.to_seq);
    return { n: chunk.n };
  }

  /** Returns null if the chunk is saved; or a refusal, after which the worker sends it again if the store is away. */
  async #store(workerId: string, chunk: EchoChunk, gz: Buffer): Promise<QuotaRefusal | FrameRefusal | null> {
    try {
      return await this.stores.save(workerId, chunk, gz);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { error: { code: 'unavailable', message: error.message } };
    }
  }

  /** Lists a page of the saved echoes and of those still on the worker, in order. */
  async list(ownerId: string, executionId: string, query: EchoesListQuery): Promise<EchoListDto> {
    if (query.before_seq !== undefined && query.after_seq > 0) {
      const message = 'cannot be combined with after_seq';
      throw new ApiError('validation_failed', `before_seq ${message}.`, [{ field: 'before_seq', message }]);
    }
    const execution = await this.executions.get(ownerId, executionId);
    const page =
      query.before_seq === undefined
        ? await this.#pageAfter(ownerId, execution, query)
        : await this.#pageBefore(ownerId, execution, query, query.before_seq);
    return query.count ? { ...page, ...(await this.#count(ownerId, executionId, query, page.total)) } : page;
  }

  /** Reads forwards: the saved echoes first, then those still on the worker. */
  async #pageAfter(ownerId: string, execution: ExecutionDto, query: EchoesListQuery): Promise<EchoListDto> {
    const filter = { type: query.type, contains: query.contains };
    const matches = filterOf(filter);
    const items: Echo[] = [];
    let seen = query.after_seq;
    const page = (next: number | null): EchoListDto => ({
      total: Math.max(execution.last_seq, seen),
      items,
      next_after_seq: next,
      next_before_seq: query.after_seq > 0 ? query.after_seq + 1 : null,
    });
    let read = 0;
    for await (const chunk of this.#chunks(execution.id, query.after_seq)) {
      if (read++ === MAX_CHUNKS_PER_CALL) return page(seen);
      const limit = query.limit - items.length;
      const found = await this.readers.find(ownerId, {
        ...filter,
        ...(await this.#stored(chunk)),
        afterSeq: seen,
        limit,
      });
      items.push(...found.items);
      seen = Math.max(seen, found.stoppedAt ?? chunk.to_seq);
      if (found.stoppedAt !== null) return page(seen);
    }
    if (mayHaveMore(execution, seen)) {
      for (const echo of await this.#unsaved(execution, seen + 1, query.limit - items.length + 1)) {
        if (items.length === query.limit) return page(seen);
        seen = echo.seq;
        if (matches(echo)) items.push(echo);
      }
    }
    return page(null);
  }

  /** Reads backwards: the echoes still on the worker first, then the saved ones. */
  async #pageBefore(
    ownerId: string,
    execution: ExecutionDto,
    query: EchoesListQuery,
    beforeSeq: number,
  ): Promise<EchoListDto> {
    const filter = { type: query.type, contains: query.contains };
    const matches = filterOf(filter);
    const lastSaved = await this.chunks.lastSavedSeq(execution.id);
    const unsaved = beforeSeq > lastSaved + 1 ? await this.#unsavedBefore(execution, lastSaved, beforeSeq) : [];
    const total = Math.max(execution.last_seq, lastSaved, unsaved.at(-1)?.seq ?? 0);
    let items = unsaved.filter(echo => echo.seq < beforeSeq && matches(echo)).slice(-query.limit);
    let chunk = await this.chunks.findPrevious(execution.id, MAX_CHUNK, beforeSeq);
    for (let read = 0; chunk && items.length < query.limit && read < MAX_CHUNKS_PER_CALL; read += 1) {
      const limit = query.limit - items.length;
      const search = { ...filter, ...(await this.#stored(chunk)), beforeSeq, limit, fromEnd: true };
      items = [...(await this.readers.find(ownerId, search)).items, ...items];
      chunk = await this.chunks.findPrevious(execution.id, chunk.n, beforeSeq);
    }
    const first = items[0]?.seq ?? 1;
    const isFull = items.length === query.limit;
    return {
      total,
      items,
      next_after_seq: beforeSeq <= total ? beforeSeq - 1 : null,
      next_before_seq: isFull ? (first > 1 ? first : null) : chunk ? chunk.to_seq + 1 : null,
    };
  }

  /** Reads the echoes after `lastSaved` and before `beforeSeq` from the worker, which sends a page at a time. */
  async #unsavedBefore(execution: ExecutionDto, lastSaved: number, beforeSeq: number): Promise<Echo[]> {
    const all: Echo[] = [];
    let seen = lastSaved;
    for (let pages = 0; pages < MAX_WORKER_PAGES && seen < beforeSeq - 1 && mayHaveMore(execution, seen); pages += 1) {
      const page = await this.#unsaved(execution, seen + 1, MAX_UNSAVED);
      if (page.length === 0) break;
      all.push(...page);
      seen = page.at(-1)?.seq ?? seen;
    }
    return all;
  }

  /** Counts the saved echoes that match. Stops after `MAX_COUNTED_CHUNKS`, to limit the work of a call. */
  async #count(
    ownerId: string,
    executionId: string,
    query: EchoesListQuery,
    total: number,
  ): Promise<Required<Pick<EchoListDto, 'matching' | 'matching_capped'>>> {
    if (!query.type && !query.contains) return { matching: total, matching_capped: false };
    const { type, contains } = query;
    let matching = 0;
    let read = 0;
    for await (const chunk of this.#chunks(executionId, 0)) {
      if (read++ === MAX_COUNTED_CHUNKS) return { matching, matching_capped: true };
      matching += await this.readers.count(ownerId, { ...(await this.#stored(chunk)), type, contains });
    }
    return { matching, matching_capped: false };
  }

  /**
   * Returns the next echoes after number `seq`, in order: those of one saved chunk, or a page of those on the worker.
   * Skips only echoes that are lost. Returns an empty list if there are none yet.
   */
  async next(ownerId: string, execution: ExecutionDto, seq: number): Promise<Echo[]> {
    const saved = await this.#savedAfter(ownerId, execution.id, seq);
    if (saved.length > 0 || !mayHaveMore(execution, seq)) return saved;
    const unsaved = await this.#unsaved(execution, seq + 1, MAX_UNSAVED);
    if ((unsaved[0]?.seq ?? 0) <= seq + 1) return unsaved;
    // The worker may have saved a chunk between the two reads, and then no longer has its echoes.
    const savedMeanwhile = await this.#savedAfter(ownerId, execution.id, seq);
    return savedMeanwhile.length > 0 ? savedMeanwhile : unsaved;
  }

  async #savedAfter(ownerId: string, executionId: string, seq: number): Promise<Echo[]> {
    const chunk = await this.chunks.findNext(executionId, 0, seq);
    if (!chunk) return [];
    const search = { ...(await this.#stored(chunk)), afterSeq: seq, limit: Number.POSITIVE_INFINITY };
    return (await this.readers.find(ownerId, search)).items;
  }

  /** Streams all echoes as CSV text. Texts that a spreadsheet would run as a formula begin with an apostrophe. */
  async *download(ownerId: string, execution: ExecutionDto): AsyncGenerator<string> {
    let header = `${ECHO_CSV_COLUMNS.join(',')}\n`;
    let seen = 0;
    for await (const chunk of this.#chunks(execution.id, 0)) {
      seen = chunk.to_seq;
      // The header comes with the first chunk, so that a failure to read that one comes before anything is sent.
      yield header + (await this.readers.csv(ownerId, await this.#stored(chunk)));
      header = '';
    }
    yield header + (isLive(execution.action) ? toCsv(await this.#unsaved(execution, seen + 1, MAX_UNSAVED)) : '');
  }

  /** Reads one chunk at a time, because the echoes of a run may be large. */
  async *#chunks(executionId: string, afterSeq: number): AsyncGenerator<ChunkRow> {
    let after = 0;
    for (;;) {
      const chunk = await this.chunks.findNext(executionId, after, afterSeq);
      if (!chunk) return;
      after = chunk.n;
      yield chunk;
    }
  }

  async #stored(chunk: ChunkRow): Promise<StoredChunk> {
    return { gz: await this.stores.read(chunk), toSeq: chunk.to_seq, executionId: chunk.execution_id };
  }

  async #unsaved(execution: ExecutionDto, fromSeq: number, limit: number): Promise<Echo[]> {
    const { id, worker } = execution;
    if (!worker) return [];
    const link = this.connections.get(worker.id);
    const request = { id, from_seq: fromSeq, limit };
    try {
      const page = link
        ? await askWorker(link.socket, 'echo_read', request, READ_TIMEOUT_MS)
        : await this.remote.read(worker.id, request);
      return page.items.filter(echo => echo.seq >= fromSeq);
    } catch {
      this.logger.warn({ worker: worker.name, execution: id }, 'reading the latest echoes from the worker failed');
      return [];
    }
  }
}

/** Returns whether the worker may have echoes after `seen`: the run is live, or its last chunk has not arrived yet. */
const mayHaveMore = (execution: ExecutionDto, seen: number): boolean =>
  isLive(execution.action) || execution.last_seq > seen;
