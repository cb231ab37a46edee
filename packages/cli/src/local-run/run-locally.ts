import { join, resolve } from 'node:path';
import type { Environment, PostgresAnswer, RunFile } from '@trawl/contracts';
import type { LocalOutcome, LocalRun, LocalWorker } from '@trawl/worker/local-worker';
import { TerminalQuestions } from '../questions/terminal-questions.js';
import { isInteractive } from '../terminal/ask.js';
import type { Output } from '../terminal/output.js';

/** As on the platform, the run continues. An older skript may answer its own question. */
const NO_TERMINAL =
  'This is not a terminal, so you cannot answer the question. The run continues, and the question fails at its timeout.';

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
): Pick<LocalRun, 'stop'> & { ended: Promise<LocalOutcome> } {
  const questions = new TerminalQuestions(output);
  const storageFolder = resolve(process.env.TRAWL_STORAGE_DIR || join(folder, '.trawl', 'storage'));
  const storage = new LazyStorage(async () => (await import('./local-storage.js')).localPortIn(storageFolder));
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
    storage: async request => (await storage.get()).port(request),
    postgres: async request => (await postgres.get()).port(request) as Promise<PostgresAnswer>,
    warn: text => output.warn(text),
  });
  const ended = run.ended.finally(async () => {
    questions.closeAll();
    await Promise.all([storage.close(), postgres.close()]);
  });
  return { stop: () => run.stop(), ended };
}
