/**
 * The record of one run on the worker's disk: that it was accepted and its result, in the journal of all runs, and, once it
 * has said something, a folder with every echo as a row of `echoes.csv` and a journal of the slices (chunks) in which they
 * are given to the platform. What is here survives the worker's own death; it is removed when the platform has acknowledged
 * all of it. Nothing is forced through to the disk itself: a machine that loses power may lose the last rows.
 */
import { appendFile, mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Echo, type EchoType, LIMITS } from '@trawl/contracts';
import { removeFolder } from './remove-folder.js';
import type { RunJournal } from './run-journal.js';
import { csvEchoes, csvRow, rowEnds } from './spool-csv.js';
import {
  type ChunkPlace,
  type Journal,
  type JournalLine,
  journalText,
  type Result,
  readJournal,
} from './spool-journal.js';

/** With so much not yet written, the run has to wait. */
const CONGESTED_BYTES = 1024 * 1024;
/** A page of echoes must fit a frame, as JSON. */
const PAGE_BYTES = LIMITS.frameBytes / 2;

export interface SpoolPlace {
  /** Holds a folder for each run that has said something. */
  runs: string;
  journal: RunJournal;
  /** Told when the disk refuses what is written; the echoes from then on are lost, and a marker says so. */
  failed: (error: unknown) => void;
}

export class Spool {
  readonly id: string;
  readonly folder: string;
  readonly #runJournal: RunJournal;
  #hasFolder: boolean;
  #seq = 0;
  /** Bytes of CSV so far, written or about to be. */
  #end = 0;
  #full = false;
  /** Where the next chunk begins. */
  #cutAt = 0;
  #cutSeq = 1;
  #cutTimer: NodeJS.Timeout | undefined;
  #chunks: ChunkPlace[] = [];
  #lastChunk = 0;
  #csv: string[] = [];
  #journal: string[] = [];
  #unwrittenBytes = 0;
  /** What is on disk for certain: so many bytes of rows, the last of this number. */
  #written = { end: 0, seq: 0 };
  /** Chunks whose rows are not all on disk yet. */
  #unwrittenChunks: ChunkPlace[] = [];
  #writing: Promise<void> | undefined;
  #changed: (() => void)[] = [];
  #result: Result | undefined;
  #finished = false;
  /** The last chunk of a run whose echoes the disk refused: one row, which says so and is in no file. */
  #refused: { n: number; row: string } | undefined;
  readonly #failed: (error: unknown) => void;

  private constructor(id: string, { runs, journal, failed }: SpoolPlace, hasFolder: boolean) {
    this.id = id;
    this.folder = join(runs, id);
    this.#runJournal = journal;
    this.#failed = failed;
    this.#hasFolder = hasFolder;
  }

  /**
   * At once, so that a run that was accepted is on disk before anyone hears of it.
   *
   * @throws Error when the disk refuses it.
   */
  static create(id: string, place: SpoolPlace): Spool {
    place.journal.accepted(id);
    return new Spool(id, place, false);
  }

  /** Takes up what an earlier worker left. Rows that are in no chunk yet are put into chunks. */
  static async reopen(id: string, place: SpoolPlace): Promise<Spool> {
    const spool = new Spool(id, place, true);
    spool.#takeUp(readJournal((await bytesOf(join(spool.folder, 'journal.jsonl'))).toString()));
    const csv = await bytesOf(join(spool.folder, 'echoes.csv'));
    const start = spool.#end;
    for (const rowEnd of rowEnds(csv.subarray(start))) {
      spool.#makeRoom(start + rowEnd - spool.#end);
      spool.#end = start + rowEnd;
      spool.#seq += 1;
    }
    spool.#written = { end: spool.#end, seq: spool.#seq };
    spool.cut();
    const { result, finished } = place.journal.left.get(id) ?? { result: null, finished: false };
    spool.#result = result ?? undefined;
    spool.#finished = finished;
    return spool;
  }

  get lastSeq(): number {
    return this.#seq;
  }

  get lastChunk(): number {
    return this.#lastChunk;
  }

  get result(): Result | undefined {
    return this.#result;
  }

  /** Whether the platform has the result. */
  get finished(): boolean {
    return this.#finished;
  }

  /** Whether no more echoes are kept. */
  get full(): boolean {
    return this.#full;
  }

  get congested(): boolean {
    return this.#unwrittenBytes > CONGESTED_BYTES;
  }

  /** Numbers and keeps an echo. Null when the run has kept as much as it may; a marker was the last. */
  append(type: EchoType, time: string, msg: string): Echo | null {
    if (this.#full) return null;
    let echo: Echo = { type, msg, time, seq: this.#seq + 1 };
    let row = csvRow(echo);
    if (this.#end + Buffer.byteLength(row) > LIMITS.echoBytesPerRun) {
      this.#full = true;
      const text = `This run has sent ${LIMITS.echoBytesPerRun / 1024 / 1024} MB of echoes, as many as are kept; what follows is cut.`;
      echo = { type: 'warn', msg: text, time, seq: this.#seq + 1 };
      row = csvRow(echo);
    }
    const bytes = Buffer.byteLength(row);
    this.#makeRoom(bytes);
    this.#csv.push(row);
    this.#unwrittenBytes += bytes;
    this.#end += bytes;
    this.#seq += 1;
    this.#cutTimer ??= setTimeout(() => this.cut(), LIMITS.echoChunkMs);
    this.#write();
    return echo;
  }

  /** Ends the chunk that is being filled. */
  cut(): void {
    clearTimeout(this.#cutTimer);
    this.#cutTimer = undefined;
    if (this.#end === this.#cutAt) return;
    this.#lastChunk += 1;
    const chunk = { n: this.#lastChunk, from_seq: this.#cutSeq, to_seq: this.#seq, start: this.#cutAt, end: this.#end };
    this.#cutAt = this.#end;
    this.#cutSeq = this.#seq + 1;
    this.#unwrittenChunks.push(chunk);
    this.#note({ chunk });
  }

  /** Resolves when all rows that were appended so far are on disk. */
  async written(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  /**
   * Keeps the result: from now on the run is over, whatever becomes of the worker. On a disk that refuses it, it is kept as
   * long as the worker lives.
   */
  async finish(result: Omit<Result, 'id' | 'last_seq' | 'last_chunk'>): Promise<Result> {
    this.cut();
    await this.written();
    const complete: Result = { id: this.id, ...result, last_seq: this.#seq, last_chunk: this.#lastChunk };
    this.#inRunJournal(journal => journal.ended(complete));
    this.#result = complete;
    this.#wake();
    return complete;
  }

  /** The first chunk that is not acknowledged, once there is one; null when the run is over and none is left. */
  async nextChunk(): Promise<ChunkPlace | null> {
    for (;;) {
      const [chunk] = this.#chunks;
      if (chunk) return chunk;
      if (this.#result && this.#unwrittenChunks.length === 0) return null;
      await new Promise<void>(resolve => this.#changed.push(resolve));
    }
  }

  /** The rows of a chunk, as they stand in the file. */
  async rows(chunk: ChunkPlace): Promise<Buffer> {
    if (chunk.n === this.#refused?.n) return Buffer.from(this.#refused.row);
    const file = await open(join(this.folder, 'echoes.csv'));
    try {
      const buffer = Buffer.alloc(chunk.end - chunk.start);
      const { bytesRead } = await file.read(buffer, 0, buffer.length, chunk.start);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  }

  acknowledgeChunk(n: number): void {
    this.#chunks = this.#chunks.filter(chunk => chunk.n !== n);
    // With the last one of a run that is over, all of it is to be forgotten next.
    if (this.#chunks.length > 0 || !this.#result) this.#note({ acknowledged: n });
  }

  acknowledgeFinish(): void {
    if (this.#finished) return;
    this.#finished = true;
    // What is to be forgotten next need not be known as finished.
    if (this.#chunks.length > 0) this.#inRunJournal(journal => journal.finished(this.id));
  }

  /** Echoes from `fromSeq` on that are in no acknowledged chunk; as many as asked for and as fit a frame. */
  async read(fromSeq: number, limit: number): Promise<Echo[]> {
    await this.written();
    const rest = {
      n: this.#lastChunk + 1,
      from_seq: this.#cutSeq,
      to_seq: this.#seq,
      start: this.#cutAt,
      end: this.#end,
    };
    const page: Echo[] = [];
    let bytes = 0;
    for (const place of [...this.#chunks, rest]) {
      if (place.to_seq < fromSeq || place.start === place.end) continue;
      for (const echo of csvEchoes(await this.rows(place))) {
        if (echo.seq < fromSeq) continue;
        bytes += Buffer.byteLength(JSON.stringify(echo));
        if (page.length >= limit || (page.length > 0 && bytes > PAGE_BYTES)) return page;
        page.push(echo);
      }
    }
    return page;
  }

  async remove(): Promise<void> {
    clearTimeout(this.#cutTimer);
    await this.written();
    if (this.#hasFolder) await removeFolder(this.folder);
    this.#inRunJournal(journal => journal.forget(this.id));
  }

  #inRunJournal(note: (journal: RunJournal) => void): void {
    try {
      note(this.#runJournal);
    } catch (error) {
      this.#failed(error);
    }
  }

  #takeUp(journal: Journal): void {
    const last = journal.chunks.at(-1);
    this.#lastChunk = last?.n ?? 0;
    this.#cutAt = last?.end ?? 0;
    this.#end = this.#cutAt;
    this.#seq = last?.to_seq ?? 0;
    this.#cutSeq = this.#seq + 1;
    this.#chunks = journal.chunks.filter(chunk => !journal.acknowledged.has(chunk.n));
  }

  #makeRoom(bytes: number): void {
    if (this.#end > this.#cutAt && this.#end - this.#cutAt + bytes > LIMITS.echoChunkBytes) this.cut();
  }

  #note(line: JournalLine): void {
    this.#journal.push(journalText(line));
    this.#write();
  }

  #write(): void {
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
      this.#wake();
    });
  }

  async #writeAll(): Promise<void> {
    // Gathers what the same turn of the loop appends into one write.
    await null;
    while (this.#csv.length > 0 || this.#journal.length > 0 || this.#unwrittenChunks.length > 0) {
      const [csv, journal, chunks] = [this.#csv, this.#journal, this.#unwrittenChunks];
      const bytes = this.#unwrittenBytes;
      const upTo = { end: this.#end, seq: this.#seq };
      [this.#csv, this.#journal, this.#unwrittenChunks] = [[], [], []];
      try {
        if (!this.#hasFolder) await mkdir(this.folder, { recursive: true, mode: 0o700 });
        this.#hasFolder = true;
        // Rows before the journal: a chunk that the journal names is always there in full.
        if (csv.length > 0) await appendFile(join(this.folder, 'echoes.csv'), csv.join(''), { mode: 0o600 });
        this.#written = upTo;
        this.#chunks.push(...chunks);
        if (journal.length > 0) await appendFile(join(this.folder, 'journal.jsonl'), journal.join(''), { mode: 0o600 });
      } catch (error) {
        if (this.#written !== upTo) {
          this.#refuse(chunks);
          this.#unwrittenBytes = bytes;
        }
        this.#failed(error);
      }
      this.#unwrittenBytes -= bytes;
      this.#wake();
    }
  }

  /** The disk took no more rows: what it has becomes the last chunk but one, and the marker the last. */
  #refuse(chunks: ChunkPlace[]): void {
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
    const msg =
      'The disk of the worker took no more echoes of this run; what is missing before this line is lost, and nothing more is kept.';
    const row = csvRow({ type: 'warn', msg, time: new Date().toISOString(), seq: this.#seq });
    this.#refused = { n: this.#lastChunk, row };
    this.#unwrittenChunks.push({ n: this.#lastChunk, from_seq: this.#seq, to_seq: this.#seq, start: end, end });
  }

  #wake(): void {
    const changed = this.#changed;
    this.#changed = [];
    for (const resolve of changed) resolve();
  }
}

const bytesOf = (path: string): Promise<Buffer> =>
  readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  });
