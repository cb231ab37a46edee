import { join, resolve } from 'node:path';
import type { Environment, OnMiss, PostgresAnswer, Row, RunFile } from '@trawl/contracts';
import type { LocalOutcome, LocalRun, LocalWorker } from '@trawl/worker/local-worker';
import { TerminalQuestions } from '../questions/terminal-questions.js';
import { isInteractive } from '../terminal/ask.js';
import type { Output } from '../terminal/output.js';
import { InsertedRows, type RowsByTarget } from './inserted-rows.js';

/** As on the platform, the run continues. An older skript may answer its own question. */
const NO_TERMINAL =
  'This is not a terminal, so you cannot answer the question. The run continues, and the question fails at its timeout.';

/** The collection with the rows of local runs. */
const ROWS = 'dataset_local';
const NO_POSTGRES: PostgresAnswer = {
  error: {
    code: 'storage_rejected',
    message: 'A replay on this computer has no PostgreSQL. It answers only postgres.insertMany.',
  },
};

/** A record that a run replays, and what requests do to which it has no answer. */
export interface LocalReplay {
  path: string;
  onMiss: OnMiss;
}

export interface SkriptToRun {
  folder: string;
  title: string;
  environment: Environment;
  /** The bundle: CommonJS code with an inline source map. */
  code: string;
  /** The files that the run finds in its folder. */
  files: RunFile[];
  timeLimitMs: number;
  /** JSON text; null for none. */
  input: string | null;
  inputSecret: string | null;
  /** The record that the run replays. It then keeps its documents in memory, and uses no PostgreSQL. */
  replay?: LocalReplay;
  /** Path to which the record of the run is saved. */
  recordTo?: string;
}

/** The rows that a replay or a recorded run has stored. */
export interface StoredRows {
  /** The rows of `dataset.push`. */
  rows: Row[];
  /** The rows of `mongo` and `postgres.insertMany`. */
  inserted: RowsByTarget;
  started_at: string;
  ended_at: string;
}

interface Closable {
  close(): void;
}

/** Opens a storage when a run uses it for the first time. Its code takes longer to load than all other code of a run. */
class LazyStorage<Storage extends Closable> {
  #opened: Promise<Storage> | undefined;

  constructor(private readonly open: () => Promise<Storage>) {}

  get(): Promise<Storage> {
    this.#opened ??= this.open();
    return this.#opened;
  }

  async close(): Promise<void> {
    (await this.#opened)?.close();
  }
}

/** Starts a run on this computer. It keeps its documents in files, and asks its questions at the terminal. */
export function runLocally(
  worker: LocalWorker,
  { folder, ...skript }: SkriptToRun,
  output: Output,
): Pick<LocalRun, 'stop'> & {
  ended: Promise<LocalOutcome>;
  rows: () => Promise<StoredRows>;
  recordProblem: () => LocalRun['recordProblem'];
} {
  const questions = new TerminalQuestions(output);
  const storageFolder = resolve(process.env.TRAWL_STORAGE_DIR || join(folder, '.trawl', 'storage'));
  const isReplay = skript.replay !== undefined;
  const storage = new LazyStorage(async () => {
    const { localPortIn, memoryPort } = await import('./local-storage.js');
    return isReplay ? memoryPort() : localPortIn(storageFolder);
  });
  const needsRows = isReplay || skript.recordTo !== undefined;
  const startedAt = new Date().toISOString();
  let endedAt = startedAt;
  let rows: Row[] = [];
  const inserted = new InsertedRows();
  const postgres = new LazyStorage(async () => new (await import('./local-storage.js')).LocalPostgres());
  const run = worker.start({
    ...skript,
    show: echo => {
      const port = (seq: number) => ({
        isOpen: async () => true,
        answer: async (text: string) => run.answer(seq, text),
      });
      questions.show(echo, shown => output.echo(shown), port);
      if (echo.type === 'question' && !isInteractive())
        output.echo({ type: 'warn', msg: NO_TERMINAL, time: echo.time });
    },
    storage: async request => {
      if (needsRows) await inserted.addDocuments(request);
      return (await storage.get()).port(request);
    },
    postgres: async (request, table) => {
      const row_count = needsRows ? await inserted.addTable(request, table) : null;
      if (!isReplay) return (await postgres.get()).port(request) as Promise<PostgresAnswer>;
      return row_count === null ? NO_POSTGRES : { result: { fields: [], rows: [], row_count, command: 'INSERT' } };
    },
    warn: text => output.warn(text),
  });
  const ended = run.ended.finally(async () => {
    endedAt = new Date().toISOString();
    questions.closeAll();
    if (needsRows) {
      const { documentsOf } = await import('./local-storage.js');
      const all: Row[] = await documentsOf(await storage.get(), ROWS);
      // The rows of earlier runs are in the same files.
      rows = all.filter(({ _at }) => typeof _at === 'string' && _at >= startedAt);
    }
    await Promise.all([storage.close(), postgres.close()]);
  });
  return {
    stop: () => run.stop(),
    ended,
    rows: async () => ({ rows, inserted: inserted.all, started_at: startedAt, ended_at: endedAt }),
    recordProblem: () => run.recordProblem,
  };
}
