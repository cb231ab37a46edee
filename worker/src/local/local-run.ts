import { copyFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import {
  type AnswerResult,
  DEFAULT_RUN_NODE,
  type Echo,
  type Environment,
  LIMITS,
  type NamedOperation,
  type OnMiss,
  type PostgresAnswer,
  type PostgresFrame,
  type RunFile,
  type StorageAnswer,
} from '@trawl/contracts';
import type { Connection } from '../platform/connection.js';
import type { Pool } from '../pool/pool.js';
import { Run } from '../runs/run.js';
import type { Result } from '../spool/result.js';
import { RunJournal } from '../spool/run-journal.js';
import { Spool } from '../spool/spool.js';
import type { LocalLibraries } from './local-libraries.js';
import { warningLog } from './log.js';

const ID = 'local';

export interface LocalRunOptions {
  title: string;
  environment: Environment;
  /** The bundle: CommonJS code with an inline source map. */
  code: string;
  /** The files that the run finds in its folder. */
  files: RunFile[];
  /** JSON text; null for none. */
  input: string | null;
  inputSecret: string | null;
  timeLimitMs: number;
  show: (echo: Echo) => void;
  storage: (request: NamedOperation) => Promise<StorageAnswer>;
  /** @param table that `postgres.insertMany` inserts into */
  postgres: (request: PostgresFrame['op'], table?: string) => Promise<PostgresAnswer>;
  warn: (text: string) => void;
  /** File to which the record of the run is saved. */
  recordTo?: string;
  /** The run replays the record in this file. */
  replay?: { path: string; onMiss: OnMiss };
}

/** How a run ended. The output is JSON text; null if there is none. */
export type LocalOutcome = Pick<Result, 'action' | 'output' | 'error_code' | 'error_stack'>;

interface LocalRunParts {
  /** The worker's own folder. */
  folder: string;
  pool: Pool;
  libraries: LocalLibraries;
}

/** A run of the worker whose platform is the program that started it. */
export class LocalRun {
  /** Resolves when the run has ended. */
  readonly ended: Promise<LocalOutcome>;
  /** Why the run has no record, or what the record lacks; null if it is whole, and before the end of the run. */
  recordProblem: string | null = null;
  readonly #run: Run;

  constructor(options: LocalRunOptions, { folder, pool, libraries }: LocalRunParts) {
    const { title, environment, code, files, input, inputSecret, timeLimitMs, warn } = options;
    const log = warningLog(warn);
    const journal = new RunJournal(join(folder, 'runs.jsonl'));
    const failed = (error: unknown) => log.error({ reason: String(error) }, 'failed to save echoes');
    const spool = Spool.create(ID, { runs: join(folder, 'runs'), journal, failed });
    const offer = {
      n: 1,
      id: ID,
      skript: { id: ID, title },
      environment,
      bundle: ID,
      lock: libraries.lock,
      owner_id: ID,
      warm: false,
      input,
      input_secret: inputSecret,
      limits: { time_ms: timeLimitMs, pause_ms: timeLimitMs, output_bytes: LIMITS.outputBytes },
      ends_with_lease: false,
      token: '',
      ...(options.recordTo !== undefined && { record: true as const }),
      ...(options.replay !== undefined && { replay: { of: options.replay.path, on_miss: options.replay.onMiss } }),
    };
    this.#run = new Run(offer, spool, {
      pool,
      libraries,
      bundles: {
        jsonOf: async () => ({
          codeJson: JSON.stringify(code),
          filesJson: JSON.stringify(files),
          node: DEFAULT_RUN_NODE,
        }),
      },
      records: {
        save: async (_id, path, { problem }) => {
          if (path !== null) await copyFile(path, options.recordTo as string);
          this.recordProblem = problem;
        },
        load: (file, path) => copyFile(file, path),
      },
      connection: platformOf(options),
      silence: { isOn: false, ms: 0 },
      worker: { id: ID, name: hostname() },
      log,
      // Here the person sees the error, and can start the database and the run again.
      storageWaitMs: 0,
    });
    this.#run.live.watch(true);
    this.ended = this.#run.execute().finally(async () => {
      await this.#run.saveRecord();
      await spool.remove();
      journal.close();
    });
  }

  /** Tells the skript to stop, and ends it after a moment. */
  stop(): void {
    void this.#run.control(0, 'stop');
  }

  /** @param seq number of the question's echo */
  answer(seq: number, answer: string): AnswerResult {
    return this.#run.answer({ id: ID, seq, answer, key: answer } as never);
  }
}

/** Returns what the run uses of the connection to a platform. */
function platformOf({ show, storage, postgres }: LocalRunOptions): Pick<Connection, 'show' | 'deliver'> {
  const answers: Record<string, (frame: never) => Promise<unknown>> = {
    state: async () => ({ ok: true }),
    // Runs on this computer are not polite.
    storage: ({ op }: { op: NamedOperation }) => storage(op),
    postgres: ({ op, table }: PostgresFrame) => postgres(op, table),
  };
  return {
    show: (_id, _fromSeq, items) => {
      for (const echo of JSON.parse(`[${items.join()}]`) as Echo[]) show(echo);
      return true;
    },
    deliver: (event, frame) => answers[event]?.(frame(false) as never) as never,
  };
}
