import type { Echo } from '@trawl/client';
import { closedQuestion, parseQuestion, type Question } from '@trawl/contracts';
import { EXIT } from '../exit-codes.js';
import { explain } from '../explain.js';
import { Interrupted } from '../failure.js';
import { askAnswer, isInteractive } from '../terminal/ask.js';
import type { Output } from '../terminal/output.js';

/** A question of a run that continues meanwhile. */
export interface LiveQuestion extends Question {
  /** Number of the question in its run. */
  id: number;
  /** Resolves to whether the run still waits for an answer. */
  isOpen(): Promise<boolean>;
  answer(text: string): Promise<unknown>;
}

/**
 * Asks the questions of a run at the terminal, one after the other, while the run continues. Holds lines back while a
 * prompt is open, because they would overwrite it.
 */
export class TerminalQuestions {
  readonly #output: Output;
  #waiting: LiveQuestion[] = [];
  #current: { id: number; end: AbortController } | undefined;
  #held: (() => void)[] = [];

  constructor(output: Output) {
    this.#output = output;
  }

  /**
   * Shows an echo, and asks or withdraws the question in it.
   *
   * @param port returns how to answer the question with this number
   */
  show(echo: Echo, show: (echo: Echo) => void, port: (id: number) => Pick<LiveQuestion, 'isOpen' | 'answer'>): void {
    const { type, msg, seq } = echo;
    this.write(() => show(echo));
    if (type === 'answer') this.close(closedQuestion(msg));
    if (type === 'question') this.add({ id: seq, ...parseQuestion(msg), ...port(seq) });
  }

  /** Writes a line now, or after the open prompt. */
  write(line: () => void): void {
    if (this.#current) this.#held.push(line);
    else line();
  }

  /** Adds a question. Ignores it if this is not a terminal. */
  add(question: LiveQuestion): void {
    if (!isInteractive()) return;
    this.#waiting.push(question);
    if (!this.#current) void this.#askAll();
  }

  /** Withdraws a question that has an answer or timed out. */
  close(id: number | undefined): void {
    this.#waiting = this.#waiting.filter(question => question.id !== id);
    if (this.#current?.id === id) this.#current?.end.abort();
  }

  closeAll(): void {
    this.#waiting = [];
    this.#current?.end.abort();
  }

  async #askAll(): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      this.#current = { id: next.id, end: new AbortController() };
      const failure = await ask(next, this.#current.end.signal).catch(error => error);
      this.#current = undefined;
      for (const line of this.#held.splice(0)) line();
      if (failure instanceof Interrupted) interrupt();
      else if (failure) this.#output.error(`Your answer was not delivered: ${explain(failure).text}`);
    }
  }
}

async function ask(question: LiveQuestion, signal: AbortSignal): Promise<void> {
  if (!(await question.isOpen()) || signal.aborted) return;
  const answer = await askAnswer(question, 'Answer it at a terminal.', signal);
  if (answer !== undefined) await question.answer(answer);
}

/** Does what Ctrl-C does outside a prompt, which reads it as a key. */
function interrupt(): void {
  if (process.listenerCount('SIGINT') === 0) process.exit(EXIT.interrupted);
  process.emit('SIGINT');
}
