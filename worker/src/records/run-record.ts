import { createReadStream, createWriteStream, mkdirSync, type WriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { finished } from 'node:stream/promises';
import type { Logger } from 'pino';
import { RECORD_LIMITS } from './record-format.js';
import { RecordReader } from './record-reader.js';

/** A piece of a record in a command to the run's process. */
const PIECE_BYTES = 256 * 1024;

/** Where the worker keeps the records of runs: on the platform, or in a folder of the user. */
export interface RunRecords {
  /** Keeps the record of a run that has ended. `exchanges` is their number. */
  save(id: string, path: string, exchanges: number): Promise<void>;
  /**
   * Writes the record of a run to a file.
   *
   * @throws FileUnavailable
   */
  load(id: string, path: string, signal: AbortSignal): Promise<void>;
}

/** The record that a run writes, in a file of the worker until the run has ended. */
export class RunRecord {
  readonly #path: string;
  readonly #log: Logger;
  #stream: WriteStream | undefined;
  #bytes = 0;
  #failure: unknown;

  constructor(path: string, log: Logger) {
    this.#path = path;
    this.#log = log;
  }

  /** Adds what the run has sent. A run that sends more than a record may have gets none. */
  append(bytes: Buffer): void {
    this.#bytes += bytes.length;
    if (this.#bytes > RECORD_LIMITS.recordBytes) this.#failure ??= new Error('the run has sent too large a record');
    if (this.#failure !== undefined) return;
    this.#stream ??= this.#open();
    this.#stream.write(bytes);
  }

  /** Resolves when the disk has taken what was added; undefined if the run need not wait for it. */
  pace(): Promise<void> | undefined {
    const stream = this.#stream;
    if (!stream?.writableNeedDrain || stream.destroyed) return undefined;
    return new Promise(resolve => {
      for (const event of ['drain', 'close']) stream.once(event, () => resolve());
    });
  }

  /** Call it when the run has ended. Keeps a record that is whole. Never throws: the run has its result. */
  async save(id: string, records: RunRecords): Promise<void> {
    try {
      const stream = this.#stream;
      if (!stream) return;
      stream.end();
      await finished(stream);
      if (this.#failure !== undefined) throw this.#failure;
      await records.save(id, this.#path, await checkRecord(this.#path));
    } catch (error) {
      this.#log.warn({ execution: id, reason: String(error) }, 'the record of a run is lost');
    } finally {
      await rm(this.#path, { force: true });
    }
  }

  #open(): WriteStream {
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    return createWriteStream(this.#path, { mode: 0o600 }).on('error', error => {
      this.#failure ??= error;
    });
  }
}

/**
 * Reads all heads of a record.
 *
 * @returns the number of exchanges
 * @throws RecordRefused
 */
export async function checkRecord(path: string): Promise<number> {
  const reader = await RecordReader.open(path);
  try {
    let count = 0;
    for await (const _ of reader.exchanges()) count += 1;
    return count;
  } finally {
    await reader.close();
  }
}

/** Loads the record of a run, checks it, and passes it on in pieces. */
export async function sendRecord(
  records: Pick<RunRecords, 'load'>,
  { of, path, signal }: { of: string; path: string; signal: AbortSignal },
  send: (piece: Buffer) => Promise<void>,
): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await records.load(of, path, signal);
    await checkRecord(path);
    for await (const piece of createReadStream(path, { highWaterMark: PIECE_BYTES })) {
      signal.throwIfAborted();
      await send(piece as Buffer);
    }
  } finally {
    await rm(path, { force: true });
  }
}
