/**
 * The record of one run on the worker's disk, until the platform has acknowledged everything; also if the worker dies. The
 * journal of all runs has its acceptance and its result, and its echoes while they are few and new. Then the run gets a
 * folder. It does not call fsync, so the last rows may be lost if the machine loses power.
 */
import { join } from 'node:path';
import { type Echo, type EchoType, LIMITS } from '@trawl/contracts';
import { isoNow } from '@trawl/echo/iso-now';
import type { CheckedEcho } from '../protocol/echo-items.js';
import { jsonLine } from '../protocol/json-lines.js';
import { type ChunkJournal, type ChunkJournalLine, type ChunkRange, readChunkJournal } from './chunk-journal.js';
import { csvRows, rowEnds } from './csv.js';
import { echoPage } from './echo-page.js';
import type { Result } from './result.js';
import { RunFolder } from './run-folder.js';
import type { RunJournal } from './run-journal.js';
import type { SpoolOptions } from './spool-options.js';
import { FULL, LOST } from './warnings.js';

/** If more bytes than this are not yet written to disk, the run must wait. */
const CONGESTED_BYTES = 1024 * 1024;
/** Echoes of this size need no folder. They are within `LIMITS.finishChunkBytes`, even if compression makes them larger. */
const HELD_BYTES = LIMITS.finishChunkBytes - 1_024;

export class Spool {
  readonly id: string;
  readonly #folder: RunFolder;
  readonly #runJournal: RunJournal;
  #seq = 0;
  /** Number of bytes of all rows so far, both those on disk and those that are not written yet. */
  #end = 0;
  #full = false;
  /** Offset in the CSV file at which the next chunk begins. */
  #cutAt = 0;
  #cutSeq = 1;
  #cutTimer: NodeJS.Timeout | undefined;
  #chunks: ChunkRange[] = [];
  #lastChunk = 0;
  /** All rows, while they are few and thus in the journal of all runs; null when they are in the folder. */
  #held: Buffer[] | null = [];
  /** Whether the only chunk waits for the result, which takes it to the platform. */
  #goesWithFinish = false;
  /** The rows that are not written to disk yet. */
  #csv: Buffer[] = [];
  #journal: string[] = [];
  #unwrittenBytes = 0;
  /** The rows that are on disk: `end` is their size in bytes, `seq` is the number of the last row. */
  #written = { end: 0, seq: 0 };
  /** Chunks whose rows are not all on disk yet. */
  #unwrittenChunks: ChunkRange[] = [];
  #writing: Promise<void> | undefined;
  #changed: (() => void)[] = [];
  #result: Result | undefined;
  #finished = false;
  /**
   * Set when a write failed: the last chunk of the run. It contains a single row, which says that echoes are lost. This
   * row is not in a file.
   */
  #marker: { n: number; row: Buffer } | undefined;
  readonly #failed: (error: unknown) => void;

  private constructor(id: string, { runs, journal, failed }: SpoolOptions, isLeft: boolean) {
    this.id = id;
    this.#folder = new RunFolder(join(runs, id), isLeft);
    this.#runJournal = journal;
    this.#failed = failed;
  }

  /**
   * Creates the record of an accepted run. Writes synchronously, because the run must be on disk before the worker
   * tells the platform that it accepts the run.
   *
   * @throws Error when the write fails.
   */
  static create(id: string, options: SpoolOptions): Spool {
    options.journal.accepted(id);
    return new Spool(id, options, false);
  }

  /** Opens a record that an earlier start of the worker left, and divides its remaining rows into chunks. */
  static async reopen(id: string, options: SpoolOptions): Promise<Spool> {
    const spool = new Spool(id, options, true);
    const { rows, result, finished } = options.journal.takeLeft(id);
    spool.#result = result ?? undefined;
    spool.#finished = finished;
    const { csv, journal } = await spool.#folder.readAll();
    // The file begins with these rows. If it has all of them, the worker was killed before it noted that in the journal.
    if (Buffer.byteLength(rows) > csv.length) {
      spool.#restoreHeld(rows);
      return spool;
    }
    spool.#held = null;
    spool.#restore(readChunkJournal(journal));
    const start = spool.#end;
    for (const rowEnd of rowEnds(csv.subarray(start))) {
      spool.#cutBefore(start + rowEnd - spool.#end);
      spool.#end = start + rowEnd;
      spool.#seq += 1;
    }
    spool.#written = { end: spool.#end, seq: spool.#seq };
    spool.cut();
    return spool;
  }

  get folder(): string {
    return this.#folder.path;
  }

  get result(): Result | undefined {
    return this.#result;
  }

  /** Whether the platform has the result. */
  get finished(): boolean {
    return this.#finished;
  }

  /** Whether the spool drops further echoes. */
  get full(): boolean {
    return this.#full;
  }

  get congested(): boolean {
    return this.#unwrittenBytes > CONGESTED_BYTES;
  }

  /**
   * Gives an echo its number and saves it. If it does not fit any more, saves a last echo about the limit instead. After
   * that, returns null.
   */
  append(type: EchoType, time: string, msg: string): Echo | null {
    if (this.#full) return null;
    if (this.appendAll([[type, msg, time]]) !== null) return { type, msg, time, seq: this.#seq };
    this.#full = true;
    this.#add(csvRows(this.#seq + 1, [['warn', FULL, time]]), 1);
    return { type: 'warn', msg: FULL, time, seq: this.#seq };
  }

  /** Saves several echoes at once. Returns the number of the first; null if they do not fit into a chunk, or into the run. */
  appendAll(echoes: CheckedEcho[]): number | null {
    if (this.#full) return null;
    const rows = csvRows(this.#seq + 1, echoes);
    const isTooLarge = echoes.length > 1 && rows.length > LIMITS.echoChunkBytes;
    if (isTooLarge || this.#end + rows.length > LIMITS.echoBytesPerRun) return null;
    this.#add(rows, echoes.length);
    return this.#seq - echoes.length + 1;
  }

  #add(rows: Buffer, count: number): void {
    this.#cutBefore(rows.length);
    this.#csv.push(rows);
    this.#held?.push(rows);
    this.#unwrittenBytes += rows.length;
    this.#end += rows.length;
    this.#seq += count;
    this.#cutTimer ??= setTimeout(() => this.cut(), LIMITS.echoChunkMs);
    this.#write();
  }

  /** Ends the current chunk. */
  cut(): void {
    clearTimeout(this.#cutTimer);
    this.#cutTimer = undefined;
    if (this.#end === this.#cutAt) return;
    const chunk = this.#takeUncut();
    this.#unwrittenChunks.push(chunk);
    this.#note({ chunk });
  }

  /** Resolves when all rows that were appended so far are on disk. */
  async written(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  /**
   * Saves the result on disk, so that the run stays over even if the worker dies. If the write fails, the result is
   * lost when the worker ends.
   */
  async finish(result: Omit<Result, 'id' | 'last_seq' | 'last_chunk'>): Promise<Result> {
    await this.written();
    if (this.#isHeld) this.#cutHeld();
    else {
      this.cut();
      await this.written();
      await this.#folder.close();
    }
    const complete: Result = { id: this.id, ...result, last_seq: this.#seq, last_chunk: this.#lastChunk };
    this.#updateRunJournal(journal => journal.ended(complete));
    this.#result = complete;
    this.#wake();
    return complete;
  }

  /** The chunk to send together with the result, if there is one. */
  get chunkOfFinish(): ChunkRange | undefined {
    return this.#goesWithFinish ? this.#chunks[0] : undefined;
  }

  /** Called when the result is delivered, or cannot be. If the chunk did not go with it, `nextChunk` returns it now. */
  finishTried(): void {
    this.#goesWithFinish = false;
    this.#wake();
  }

  /**
   * Waits until there is a chunk that the platform has not acknowledged, and returns it. Resolves with null when the
   * run is over and all chunks are acknowledged.
   */
  async nextChunk(): Promise<ChunkRange | null> {
    for (;;) {
      const [chunk] = this.#chunks;
      if (chunk && !this.#goesWithFinish) return chunk;
      if (!chunk && this.#result && this.#unwrittenChunks.length === 0) return null;
      await new Promise<void>(resolve => this.#changed.push(resolve));
    }
  }

  /** Reads the rows of a chunk, as CSV. */
  async rows(chunk: ChunkRange): Promise<Buffer> {
    if (chunk.n === this.#marker?.n) return this.#marker.row;
    if (this.#held) return Buffer.concat(this.#held).subarray(chunk.start, chunk.end);
    return this.#folder.readRows(chunk.start, chunk.end);
  }

  acknowledgeChunk(n: number): void {
    this.#chunks = this.#chunks.filter(chunk => chunk.n !== n);
    // After the last chunk of an ended run, the journal needs no entry, because the caller then deletes the record.
    if (this.#chunks.length > 0 || !this.#result) this.#note({ acknowledged: n });
  }

  acknowledgeFinish(): void {
    if (this.#finished) return;
    this.#finished = true;
    if (this.#chunks.length > 0) this.#updateRunJournal(journal => journal.finished(this.id));
  }

  /**
   * Reads the echoes from number `fromSeq` on that are not in an acknowledged chunk. Returns at most `limit` echoes,
   * and not more than fit into a frame.
   */
  async read(fromSeq: number, limit: number): Promise<Echo[]> {
    await this.written();
    return echoPage([...this.#chunks, this.#uncut], chunk => this.rows(chunk), fromSeq, limit);
  }

  async remove(): Promise<void> {
    clearTimeout(this.#cutTimer);
    await this.written();
    await this.#folder.remove();
    this.#updateRunJournal(journal => journal.forget(this.id));
  }

  /** Returns whether the write has succeeded. */
  #updateRunJournal(note: (journal: RunJournal) => void): boolean {
    try {
      note(this.#runJournal);
      return true;
    } catch (error) {
      this.#failed(error);
      return false;
    }
  }

  #restore(journal: ChunkJournal): void {
    const last = journal.chunks.at(-1);
    this.#lastChunk = last?.n ?? 0;
    this.#cutAt = last?.end ?? 0;
    this.#end = this.#cutAt;
    this.#seq = last?.to_seq ?? 0;
    this.#cutSeq = this.#seq + 1;
    this.#chunks = journal.chunks.filter(chunk => !journal.acknowledged.has(chunk.n));
  }

  #restoreHeld(rows: string): void {
    const csv = Buffer.from(rows);
    this.#held = [csv];
    this.#end = csv.length;
    this.#seq = [...rowEnds(csv)].length;
    if (this.#result) this.#cutHeld();
    if (this.#finished) this.#goesWithFinish = false;
  }

  /** Makes one chunk of the rows that are in the journal of all runs. */
  #cutHeld(): void {
    clearTimeout(this.#cutTimer);
    if (this.#end === 0) return;
    this.#chunks.push(this.#takeUncut());
    this.#goesWithFinish = true;
  }

  /** The rows that are in no chunk yet, as the next chunk. */
  get #uncut(): ChunkRange {
    const [from_seq, to_seq] = [this.#cutSeq, this.#seq];
    return { n: this.#lastChunk + 1, from_seq, to_seq, start: this.#cutAt, end: this.#end };
  }

  #takeUncut(): ChunkRange {
    const chunk = this.#uncut;
    [this.#lastChunk, this.#cutAt, this.#cutSeq] = [chunk.n, chunk.end, chunk.to_seq + 1];
    return chunk;
  }

  #cutBefore(bytes: number): void {
    if (this.#end > this.#cutAt && this.#end - this.#cutAt + bytes > LIMITS.echoChunkBytes) this.cut();
  }

  #note(line: ChunkJournalLine): void {
    this.#journal.push(jsonLine(line));
    this.#write();
  }

  #write(): void {
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
      this.#wake();
      if (this.#hasUnwritten) this.#write();
    });
  }

  get #hasUnwritten(): boolean {
    return this.#csv.length > 0 || this.#journal.length > 0 || this.#unwrittenChunks.length > 0;
  }

  async #writeAll(): Promise<void> {
    // Wait, so that all rows that are appended in the same turn of the event loop are written together.
    await null;
    while (this.#hasUnwritten) {
      if (this.#isHeld && this.#writeHeld()) return;
      const csv = Buffer.concat(this.#held ?? this.#csv);
      const [journal, chunks] = [this.#journal, this.#unwrittenChunks];
      const bytes = this.#unwrittenBytes;
      const upTo = { end: this.#end, seq: this.#seq };
      [this.#csv, this.#journal, this.#unwrittenChunks] = [[], [], []];
      try {
        // Write the rows before the journal, so that all rows of a chunk in the journal are in the file. After a failed
        // write there are no more rows.
        if (csv.length > 0 && !this.#marker) await this.#writeRows(csv);
        this.#written = upTo;
        this.#chunks.push(...chunks);
        if (journal.length > 0) await this.#folder.appendJournal(journal.join(''));
      } catch (error) {
        if (this.#written !== upTo) {
          this.#cutAtFailure(chunks);
          this.#unwrittenBytes = bytes;
        }
        this.#failed(error);
      }
      this.#unwrittenBytes -= bytes;
      this.#wake();
    }
  }

  async #writeRows(csv: Buffer): Promise<void> {
    await this.#folder.appendRows(csv);
    if (!this.#held) return;
    this.#held = null;
    this.#updateRunJournal(journal => journal.inFolder(this.id));
  }

  get #isHeld(): boolean {
    return this.#held !== null && this.#end <= HELD_BYTES && this.#lastChunk === 0;
  }

  /** Writes the rows to the journal of all runs. Returns false if that fails. */
  #writeHeld(): boolean {
    const rows = Buffer.concat(this.#csv).toString();
    if (!this.#updateRunJournal(journal => journal.rows(this.id, rows))) return false;
    this.#csv = [];
    this.#unwrittenBytes = 0;
    this.#written = { end: this.#end, seq: this.#seq };
    return true;
  }

  /**
   * Called after a failed write. Makes a chunk of the rows that are on disk, and a last chunk with one row that says
   * that echoes are lost.
   */
  #cutAtFailure(chunks: ChunkRange[]): void {
    this.#full = true;
    this.#csv = [];
    const [lost] = [...chunks, ...this.#unwrittenChunks];
    this.#unwrittenChunks = [];
    if (lost) [this.#lastChunk, this.#cutAt, this.#cutSeq] = [lost.n - 1, lost.start, lost.from_seq];
    const { end, seq } = this.#written;
    const last = this.#seq;
    [this.#end, this.#seq] = [end, seq];
    this.cut();
    this.#seq = last + 1;
    this.#cutSeq = this.#seq + 1;
    this.#lastChunk += 1;
    this.#marker = { n: this.#lastChunk, row: csvRows(this.#seq, [['warn', LOST, isoNow()]]) };
    this.#unwrittenChunks.push({ n: this.#lastChunk, from_seq: this.#seq, to_seq: this.#seq, start: end, end });
  }

  #wake(): void {
    const changed = this.#changed;
    this.#changed = [];
    for (const resolve of changed) resolve();
  }
}
