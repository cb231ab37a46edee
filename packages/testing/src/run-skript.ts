import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { type Document, dataset, mongo } from '@trawl/storage';

/** Name of the global function by which @trawl/storage waits until pushed rows are stored. */
const FLUSH = Symbol.for('trawl.flushRows');
/** Name of the global function that @trawl/echo calls with a question. */
const QUESTIONS = Symbol.for('trawl.questions');
/** Fields of a row that Trawl sets. */
const OF_TRAWL = ['_id', '_run', '_at', '_key', '_first', '_attempt'];
/** @trawl/storage uses the same name outside a run, so that a test sees the values that its skript keeps. */
const SKRIPT = { id: 'local', title: 'test' };
const WORKER = { id: 'local', name: 'test' };

export interface Echo {
  /** `log`, `warn`, `error`, `objekt`, `image`, `progress` or `table`. */
  type: string;
  msg: string;
  /** ISO time. */
  time: string;
}

export interface Question {
  text: string;
  choices: string[];
}

export interface RunOptions<Input> {
  input?: Input;
  inputSecret?: unknown;
  /** Answers a question of the skript. Without it, a question fails. */
  answer?(question: Question): string | Promise<string>;
}

export interface RunResult<Output> {
  /** The value that the skript returned, as JSON keeps it. */
  output: Output;
  /** The rows that it pushed with `dataset.push`, in order, without the fields that Trawl sets. */
  rows: Document[];
  /** Its echoes, in order. */
  echoes: Echo[];
}

type Main<Input, Output> = (input: Input, inputSecret: never) => Output;

const globals = globalThis as Record<string | symbol, unknown>;
let isRunning = false;

/**
 * Runs a skript in this process, as a run on the platform does, and resolves when it has ended.
 *
 * @param main the function that main.js exports, or all its exports
 * @throws the error that the skript throws, or that `answer` throws
 */
export async function runSkript<Input, Output>(
  main: Main<Input, Output> | { default: Main<Input, Output> },
  { input, inputSecret, answer }: RunOptions<Input> = {},
): Promise<RunResult<Awaited<Output>>> {
  const run = functionOf(main);
  if (isRunning) {
    throw new Error('runSkript: another run has not ended. Await each run before you start the next one.');
  }
  isRunning = true;
  const before = { trawl: globals.trawl, dex8: globals.dex8 };
  const echoes: Echo[] = [];
  const eventEmitter = new EventEmitter().on('echo', (echo: Echo) => echoes.push(echo));
  const trawl = { eventEmitter, execution_id: randomUUID(), skript: SKRIPT, worker: WORKER };
  try {
    let fail: (error: unknown) => void = () => {};
    const unanswered = new Promise<never>((_, reject) => {
      fail = reject;
    });
    Object.assign(globals, { trawl, dex8: trawl, [QUESTIONS]: asker(answer, fail) });
    const ended = async () => run(asJson(input, 'input') as Input, asJson(inputSecret, 'inputSecret') as never);
    const output = await Promise.race([ended(), unanswered]);
    await (globals[FLUSH] as (() => Promise<void> | undefined) | undefined)?.();
    const rows = await mongo.collection(dataset.collectionName).find({ _run: trawl.execution_id }).toArray();
    return { output: asJson(output, 'output') as Awaited<Output>, rows: rows.map(withoutOwnFields), echoes };
  } finally {
    isRunning = false;
    Object.assign(globals, before);
    delete globals[QUESTIONS];
  }
}

function functionOf<Input, Output>(main: Main<Input, Output> | { default: Main<Input, Output> }) {
  const found = typeof main === 'function' ? main : main?.default;
  if (typeof found === 'function') return found;
  throw new TypeError(
    'runSkript: expected the function that main.js exports, such as: import main from ./main.js; runSkript(main, { input })',
  );
}

/** A run gets and returns JSON, in which `undefined` is null. */
function asJson(value: unknown, name: string): unknown {
  try {
    return JSON.parse(JSON.stringify(value) ?? 'null');
  } catch (error) {
    throw new TypeError(`runSkript: the ${name} cannot be JSON: ${(error as Error).message}`);
  }
}

const withoutOwnFields = (row: Document): Document =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !OF_TRAWL.includes(name)));

/**
 * Returns the function that @trawl/echo calls with a question. It returns a function that ends the question.
 *
 * @param fail ends the run with the error of `answer`
 */
function asker(answer: RunOptions<unknown>['answer'], fail: (error: unknown) => void) {
  return (question: Question, answered: (text: string) => void) => {
    if (!answer) {
      throw new Error(
        `The skript asks ${JSON.stringify(question.text)}, and the test has no answer. Give runSkript the option answer: question => '…'.`,
      );
    }
    void (async () => answer(question))().then(answered, fail);
    return () => {};
  };
}
