import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Inject, Injectable } from '@nestjs/common';
import {
  ECHO_CSV_COLUMNS,
  type Echo,
  type EchoChunk,
  type EchoType,
  type FrameRefusal,
  isLive,
  LIMITS,
} from '@trawl/contracts';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import type { Logger } from 'pino';
import { DataSource } from 'typeorm';
import { LOGGER } from '../common/logger.js';
import type { ExecutionDto } from '../executions/executions.dto.js';
import { ExecutionsService } from '../executions/executions.service.js';
import { askWorker } from '../workers/ask-worker.js';
import { WorkerConnections } from '../workers/worker-connections.js';
import type { EchoesListQuery, EchoListDto } from './echoes.dto.js';

const unzip = promisify(gunzip);
/** A chunk is cut at `LIMITS.echoChunkBytes`; the last echo in it may stand across. */
const MAX_CHUNK_BYTES = LIMITS.echoChunkBytes * 3;
/** A search that finds little stops here and says where to go on, so that one call costs a bounded amount. */
const MAX_CHUNKS_A_CALL = 16;
const READ_TIMEOUT_MS = 3_000;

interface ChunkRow {
  n: number;
  from_seq: number;
  to_seq: number;
  gz: Buffer;
}

@Injectable()
export class EchoesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly executions: ExecutionsService,
    private readonly connections: WorkerConnections,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Keeps a chunk of a run's record, also after the run was given up for lost. A repeat changes nothing. */
  async save(workerId: string, chunk: EchoChunk): Promise<{ n: number } | FrameRefusal> {
    const gz = Buffer.from(chunk.gz.buffer, chunk.gz.byteOffset, chunk.gz.byteLength);
    if (createHash('sha256').update(gz).digest('hex') !== chunk.sha || chunk.to_seq < chunk.from_seq) {
      return { error: { code: 'invalid_frame', message: 'The chunk does not match its sum.' } };
    }
    try {
      // What cannot be read is refused now rather than whenever somebody wants to read it.
      await echoesOf({ gz });
    } catch {
      const message = `The chunk is not gzipped CSV of at most ${MAX_CHUNK_BYTES} bytes, columns ${ECHO_CSV_COLUMNS.join(', ')}.`;
      return { error: { code: 'invalid_frame', message } };
    }
    // A run that was deleted meanwhile takes no chunk; the worker may forget it all the same.
    await this.dataSource.query(
      `INSERT INTO echo_chunks (execution_id, n, from_seq, to_seq, gz)
       SELECT id, $3, $4, $5, $6 FROM executions WHERE id = $1 AND worker_id = $2
       ON CONFLICT (execution_id, n) DO NOTHING`,
      [chunk.id, workerId, chunk.n, chunk.from_seq, chunk.to_seq, gz],
    );
    return { n: chunk.n };
  }

  /** Saved echoes first, then what the worker still has. */
  async list(ownerId: string, executionId: string, query: EchoesListQuery): Promise<EchoListDto> {
    const execution = await this.executions.get(ownerId, executionId);
    const wanted = filterOf(query);
    const items: Echo[] = [];
    let seen = query.after_seq;
    let read = 0;
    for await (const chunk of this.#chunks(executionId, query.after_seq)) {
      if (read++ === MAX_CHUNKS_A_CALL) return this.#page(execution, items, seen);
      for (const echo of await echoesOf(chunk)) {
        if (echo.seq <= seen) continue;
        if (items.length === query.limit) return this.#page(execution, items, seen);
        seen = echo.seq;
        if (wanted(echo)) items.push(echo);
      }
    }
    if (mayHaveMore(execution, seen)) {
      for (const echo of await this.#unsaved(execution, seen + 1, query.limit - items.length + 1)) {
        if (items.length === query.limit) return this.#page(execution, items, seen);
        seen = echo.seq;
        if (wanted(echo)) items.push(echo);
      }
    }
    return this.#page(execution, items, null, seen);
  }

  /** The record as CSV text, piece by piece. */
  async *download(execution: ExecutionDto): AsyncGenerator<string | Buffer> {
    yield `${ECHO_CSV_COLUMNS.join(',')}\n`;
    let seen = 0;
    for await (const chunk of this.#chunks(execution.id, 0)) {
      seen = chunk.to_seq;
      yield await unzip(chunk.gz, { maxOutputLength: MAX_CHUNK_BYTES });
    }
    if (isLive(execution.action))
      yield stringify(await this.#unsaved(execution, seen + 1, 10_000), { columns: [...ECHO_CSV_COLUMNS] });
  }

  /** One chunk at a time: a run's record may be large. */
  async *#chunks(executionId: string, afterSeq: number): AsyncGenerator<ChunkRow> {
    let after = 0;
    for (;;) {
      const [chunk] = await this.dataSource.query<ChunkRow[]>(
        `SELECT n, from_seq, to_seq, gz FROM echo_chunks
         WHERE execution_id = $1 AND n > $2 AND to_seq > $3 ORDER BY n LIMIT 1`,
        [executionId, after, afterSeq],
      );
      if (!chunk) return;
      after = chunk.n;
      yield chunk;
    }
  }

  async #unsaved(execution: ExecutionDto, fromSeq: number, limit: number): Promise<Echo[]> {
    const link = execution.worker ? this.connections.get(execution.worker.id) : undefined;
    if (!link) return [];
    try {
      const page = await askWorker(
        link.socket,
        'echo_read',
        { id: execution.id, from_seq: fromSeq, limit },
        READ_TIMEOUT_MS,
      );
      return page.items.filter(echo => echo.seq >= fromSeq);
    } catch {
      this.logger.warn(
        { worker: link.name, execution: execution.id },
        'the worker did not answer with its latest echoes',
      );
      return [];
    }
  }

  #page(execution: ExecutionDto, items: Echo[], next: number | null, last = 0): EchoListDto {
    return { total: Math.max(execution.last_seq, next ?? last), items, next_after_seq: next };
  }
}

/** The last chunk may still be on its way when a run has just ended. */
const mayHaveMore = (execution: ExecutionDto, seen: number): boolean =>
  isLive(execution.action) || execution.last_seq > seen;

async function echoesOf(chunk: Pick<ChunkRow, 'gz'>): Promise<Echo[]> {
  const csv = await unzip(chunk.gz, { maxOutputLength: MAX_CHUNK_BYTES });
  const rows = parse(csv, { columns: [...ECHO_CSV_COLUMNS] }) as Record<(typeof ECHO_CSV_COLUMNS)[number], string>[];
  return rows.map(row => ({ seq: Number(row.seq), time: row.time, type: row.type as EchoType, msg: row.msg }));
}

function filterOf({ type, contains }: EchoesListQuery): (echo: Echo) => boolean {
  const text = contains?.toLowerCase();
  return echo => (!type || echo.type === type) && (!text || echo.msg.toLowerCase().includes(text));
}
