import { type AnswerResult, answerMessage, questionMessage } from '@trawl/contracts';
import type { CommandToRun } from '../protocol/pipe-messages.js';
import { textOf } from '../protocol/pipe-messages.js';
import { withoutTerminalCodes } from '../protocol/terminal-codes.js';
import type { RunEchoes } from './run-echoes.js';

/** The real runner never sends more choices. */
const MAX_CHOICES = 20;
/** If a run has more open or closed questions, the worker forgets the oldest. */
const MAX_KEPT = 100;

interface OpenQuestion {
  /** The runner's number of the question. */
  call: number;
  /** The valid answers; empty if every answer is valid. */
  choices: string[];
}

/** The questions that one run has sent. Each is an echo, and gets at most one answer. */
export class RunQuestions {
  readonly #echoes: RunEchoes;
  readonly #send: (command: CommandToRun) => void;
  /** Open questions by the number of their echo. */
  readonly #open = new Map<number, OpenQuestion>();
  /** Closed questions by the number of their echo, each with the key of its answer; null if it has none. */
  readonly #closed = new Map<number, string | null>();

  constructor(echoes: RunEchoes, send: (command: CommandToRun) => void) {
    this.#echoes = echoes;
    this.#send = send;
  }

  /** Adds a question. The arguments are as the run has sent them; they may be any values. */
  ask(call: unknown, text: unknown, sentChoices: unknown): void {
    const choices = (Array.isArray(sentChoices) ? sentChoices : []).slice(0, MAX_CHOICES).map(textOf);
    // A code before a line that looks like a choice would hide it, and the echo has no codes.
    const msg = questionMessage({ text: withoutTerminalCodes(textOf(text)), choices });
    const seq = this.#echoes.add(['question', msg, new Date().toISOString()]);
    if (seq === null || typeof call !== 'number') return;
    const [oldest] = this.#open.keys();
    if (oldest !== undefined && this.#open.size >= MAX_KEPT) this.#close(oldest, null, false);
    this.#open.set(seq, { call, choices });
  }

  /** @param key of the answer; a repeated answer has the same key and the same result */
  answer(seq: number, answer: string, key: string): AnswerResult {
    const question = this.#open.get(seq);
    if (!question) {
      if (!this.#closed.has(seq)) return { result: 'unknown' };
      return { result: this.#closed.get(seq) === key ? 'accepted' : 'closed' };
    }
    const { call, choices } = question;
    if (choices.length > 0 && !choices.includes(answer)) return { result: 'not_a_choice' };
    // The echo does not contain the answer, because it may be a password.
    this.#close(seq, key, true);
    this.#send({ t: 'answer', call, answer });
    return { result: 'accepted' };
  }

  /**
   * Closes a question that the skript no longer waits for. The arguments may be any values.
   *
   * @param isAnswered whether the skript itself has answered the question, as older skripts can
   */
  end(call: unknown, isAnswered: unknown): void {
    for (const [seq, question] of this.#open) {
      if (question.call === call) this.#close(seq, null, isAnswered === true);
    }
  }

  #close(seq: number, key: string | null, isAnswered: boolean): void {
    this.#open.delete(seq);
    this.#closed.set(seq, key);
    const [oldest] = this.#closed.keys();
    if (oldest !== undefined && this.#closed.size > MAX_KEPT) this.#closed.delete(oldest);
    this.#echoes.add(['answer', answerMessage(seq, isAnswered), new Date().toISOString()]);
  }
}
