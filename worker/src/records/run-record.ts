import { createReadStream, createWriteStream, mkdirSync, type WriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { finished } from 'node:stream/promises';
import { MAX_RECORD_PROBLEM_CHARS } from '@trawl/contracts';
import type { Logger } from 'pino';
import { RECORD_LIMITS } from './record-format.js';
import { RecordReader } from './record-reader.js';
import { type RedactLong, redactRecord } from './redact-record.js';

/** A piece of a record in a command to the run's process. */
const PIECE_BYTES = 256 * 1024;

const CONTROLS = /\p{Cc}+/gu;
/** Leaves room for a sentence that follows, and for placeholders of secrets. */
const MAX_TEXT_CHARS = MAX_RECORD_PROBLEM_CHARS / 2;

/** Where the worker keeps the records of runs: on the platform, or in a folder of the user. */
export interface RunRecords {
  /**
   * Keeps the record of a run that has ended.
   *
   * @param path the file with the record; null if there is none, and `problem` says why
   */
  save(id: string, path: string | null, about: { exchanges: number; problem: string | null }): Promise<void>;
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
  readonly #redacted: (text: string) => string;
  #stream: WriteStream | undefined;
  #bytes = 0;
  /** Why the run gets no record. */
  #failure: string | undefined;
  /** What the run says that its record lacks: the first text, and their number. */
  #lacks = { first: '', count: 0 };

  /** @param redacted returns a text without secrets and paths of the worker */
  constructor(path: string, { log, redacted }: { log: Logger; redacted: (text: string) => string }) {
    this.#path = path;
    this.#log = log;
    this.#redacted = redacted;
  }

  /** Adds what the run has sent. A run that sends more than a record may have gets none. */
  append(bytes: Buffer): void {
    this.#bytes += bytes.length;
    if (this.#bytes > RECORD_LIMITS.recordBytes) {
      this.#failure ??= `The run has sent more than ${RECORD_LIMITS.recordBytes / 1024 / 1024} MB for its record.`;
    }
    if (this.#failure !== undefined) return;
    this.#stream ??= this.#open();
    this.#stream.write(bytes);
  }

  /** @param text says what the record lacks */
  lacks(text: string): void {
    // Redaction comes first: it does not find a secret that is cut in two.
    this.#lacks.first ||= this.#redacted(text).slice(0, MAX_TEXT_CHARS);
    this.#lacks.count += 1;
  }

  /** Resolves when the disk has taken what was added; undefined if the run need not wait for it. */
  pace(): Promise<void> | undefined {
    const stream = this.#stream;
    if (!stream?.writableNeedDrain || stream.destroyed) return undefined;
    return new Promise(resolve => {
      for (const event of ['drain', 'close']) stream.once(event, () => resolve());
    });
  }

  /**
   * Call it when the run has ended. Keeps its record, or why it has none. Never throws: the run has its result.
   *
   * @param redact replaces the values of the sessions that the run has used
   */
  async save(id: string, records: RunRecords, redact: RedactLong | null = null): Promise<void> {
    try {
      const exchanges = await this.#finish(redact);
      if (typeof exchanges === 'string') return await this.#saveReason(id, records, exchanges);
      const problem = this.#problemOf(exchanges);
      await records.save(id, this.#path, { exchanges, problem: problem === null ? null : this.#shown(problem) });
    } catch (error) {
      await this.#saveReason(id, records, `The worker could not save the record. ${(error as Error).message}`);
    } finally {
      await rm(this.#path, { force: true });
    }
  }

  /** Keeps why there is no record. */
  async #saveReason(id: string, records: RunRecords, reason: string): Promise<void> {
    const problem = this.#shown(reason);
    this.#log.warn({ execution: id, reason: problem }, 'a run has no record');
    await records.save(id, null, { exchanges: 0, problem }).catch((error: Error) => {
      this.#log.warn({ execution: id, reason: this.#shown(error.message) }, 'failed to tell why a run has no record');
    });
  }

  /** Returns a text about the record in a form that people may see. The run may have written a part of it. */
  #shown(text: string): string {
    return this.#redacted(text).replaceAll(CONTROLS, ' ').slice(0, MAX_RECORD_PROBLEM_CHARS);
  }

  /** Returns the number of exchanges in the file, or why there is no record. */
  async #finish(redact: RedactLong | null): Promise<number | string> {
    const stream = this.#stream;
    if (!stream) return 'The run ended before its process began to record.';
    stream.end();
    // An error is in `#failure` already.
    await finished(stream).catch(() => {});
    if (this.#failure !== undefined) return this.#failure;
    try {
      if (redact) await redactRecord(this.#path, redact);
      return await checkRecord(this.#path);
    } catch (error) {
      return `The run has sent a record that cannot be read. ${(error as Error).message}`;
    }
  }

  #problemOf(exchanges: number): string | null {
    const { first, count } = this.#lacks;
    if (count > 0) return count === 1 ? first : `${first} Echoes of the run name ${count - 1} more.`;
    return exchanges > 0
      ? null
      : 'The record has no HTTP exchange: the run made none that Trawl records, or its process was killed.';
  }

  #open(): WriteStream {
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    return createWriteStream(this.#path, { mode: 0o600 }).on('error', (error: NodeJS.ErrnoException) => {
      this.#failure ??= `The worker could not write it to its disk (${error.code}).`;
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
    for await (const { head } of reader.exchanges()) if (head.same_as === undefined) count += 1;
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
