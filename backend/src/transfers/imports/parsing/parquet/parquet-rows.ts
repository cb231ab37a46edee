import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { deserialize } from 'bson';
import pLimit from 'p-limit';
import { ApiError } from '../../../../platform/common/errors.js';
import type { Source } from '../source.js';
import { UnreadableFile } from '../unreadable.js';
import type { Answer, ParquetCell, ParquetColumn, Question } from './parquet-messages.js';

/** Always the compiled file in `dist`: Node cannot run the TypeScript source, which tests load, as a child process. */
const PROGRAM = fileURLToPath(
  new URL('../../../../../dist/transfers/imports/parsing/parquet/parquet-child.js', import.meta.url),
);
const HEAP_MB = 512;
/** Memory limit (`ulimit -d`, in KiB). The library allocates what a file declares. */
const DATA_LIMIT_KB = 1024 * 1024;
/** How long the process may take until the next rows. */
const STEP_MS = 60_000;
/** Processes that read the first rows of files for previews. Jobs have limits of their own. */
const previews = pLimit(2);
/** Keeps the types of MongoDB, also that of a whole number. */
const EXACT = { promoteValues: false, bsonRegExp: true } as const;

export interface OpenedParquet {
  columns: ParquetColumn[];
  rows: AsyncGenerator<ParquetCell[]>;
}

/**
 * Opens a Parquet file in a process of its own, whose memory is limited. It ends when the rows are read to their end or
 * `rows.return()` is called.
 * @param sampleBytes ends the rows after about this many bytes.
 * @param forTable whether the cells are texts for PostgreSQL, rather than values of MongoDB.
 * @throws {UnreadableFile} for a file that is no Parquet file, damaged, encrypted or too large, also while `rows` are read.
 */
export async function openParquet(source: Source, forTable: boolean, sampleBytes: number): Promise<OpenedParquet> {
  const reader = new ParquetProcess(source);
  try {
    const opened = await reader.ask({ type: 'open', bytes: await source.size(), forTable });
    if (opened.type !== 'columns') throw new Error('the process that reads Parquet gave no columns');
    return { columns: opened.columns, rows: rowsOf(reader, sampleBytes) };
  } catch (error) {
    reader.end();
    throw error;
  }
}

/** Executes `work` when few other previews of Parquet files are read. */
export const inTurn = <T>(work: () => Promise<T>): Promise<T> => previews(work);

async function* rowsOf(reader: ParquetProcess, sampleBytes: number): AsyncGenerator<ParquetCell[]> {
  try {
    for (let bytes = 0; bytes < sampleBytes; ) {
      const answer = await reader.ask({ type: 'next' });
      if (answer.type !== 'rows' || answer.rows.length === 0) return;
      for (const packed of answer.rows) {
        bytes += packed.length;
        const cells = deserialize(packed, EXACT).r as (ParquetCell | null)[];
        yield cells.map(cell => cell ?? undefined);
      }
    }
  } finally {
    reader.end();
  }
}

class ParquetProcess {
  readonly #child: ChildProcess;
  #settle: ((answer: Answer | Error) => void) | undefined;
  #isKilled = false;

  constructor(private readonly source: Source) {
    this.#child = start();
    this.#child.on('message', (answer: Answer) => this.#hear(answer));
    this.#child.on('error', error => this.#settle?.(error));
    this.#child.on('exit', () => this.#settle?.(this.#isKilled ? tookTooLong() : tookTooMuch()));
  }

  /** Asks one question at a time. */
  async ask(question: Question): Promise<Answer> {
    const timer = setTimeout(() => this.end(), STEP_MS);
    const answer = await new Promise<Answer | Error>(resolve => {
      this.#settle = resolve;
      if (this.#child.exitCode !== null || this.#child.signalCode !== null) resolve(tookTooMuch());
      else this.#child.send(question, () => {}); // If it cannot be sent, the process has ended.
    });
    clearTimeout(timer);
    this.#settle = undefined;
    if (answer instanceof Error) throw answer;
    if (answer.type === 'failed') throw unreadable(answer.reason);
    return answer;
  }

  end(): void {
    this.#isKilled = true;
    this.#child.kill('SIGKILL');
  }

  #hear(answer: Answer): void {
    if (answer.type !== 'read') {
      this.#settle?.(answer);
      return;
    }
    const { id, start, end } = answer;
    this.source.slice(start, end).then(
      bytes => this.#child.connected && this.#child.send({ type: 'bytes', id, bytes } satisfies Question, () => {}),
      error => this.#settle?.(error as Error),
    );
  }
}

function start(): ChildProcess {
  const node = [process.execPath, `--max-old-space-size=${HEAP_MB}`, PROGRAM];
  const options = { env: {}, cwd: '/', serialization: 'advanced' } as const;
  const stdio = ['ignore', 'ignore', 'ignore', 'ipc'] as ['ignore', 'ignore', 'ignore', 'ipc'];
  if (process.platform !== 'linux') return spawn(process.execPath, node.slice(1), { ...options, stdio });
  return spawn('/bin/sh', ['-c', `ulimit -d ${DATA_LIMIT_KB}; exec "$@"`, 'sh', ...node], { ...options, stdio });
}

const unreadable = (reason: string): UnreadableFile =>
  new UnreadableFile(`Trawl cannot read the Parquet file: ${reason.replace(/\.$/, '')}. Write it again, or as CSV.`);

const tookTooMuch = (): ApiError =>
  new UnreadableFile(
    'The Parquet file needs too much memory, or says something wrong about its size. Write it with smaller row groups and pages, or as CSV.',
  );

const tookTooLong = (): ApiError =>
  new UnreadableFile(
    'A part of the Parquet file takes longer than a minute to read. Write it with smaller row groups.',
  );
