import type { MessagesPipe } from './messages-pipe.js';

interface Question {
  text: string;
  choices: string[];
}

/** Sends the questions of the library @trawl/echo to the worker, and returns the answers. */
export class Questions {
  readonly #messages: MessagesPipe;
  readonly #open = new Map<number, (answer: string) => void>();
  #last = 0;

  constructor(messages: MessagesPipe) {
    this.#messages = messages;
  }

  install(): void {
    Object.defineProperty(globalThis, Symbol.for('trawl.questions'), {
      value: (question: Question, answered: (answer: string) => void) => this.#ask(question, answered),
    });
  }

  answer(call: number, answer: string): void {
    const answered = this.#open.get(call);
    this.#open.delete(call);
    answered?.(answer);
  }

  /** Forgets all open questions when a run has ended. */
  forget(): void {
    this.#open.clear();
  }

  /** Returns a function that ends the question, and says whether the skript itself has answered it. */
  #ask({ text, choices }: Question, answered: (answer: string) => void): (isAnswered: boolean) => void {
    this.#last += 1;
    const call = this.#last;
    this.#open.set(call, answered);
    this.#messages.send({ t: 'question', call, text, choices });
    return isAnswered => {
      if (this.#open.delete(call)) this.#messages.send({ t: 'question_over', call, is_answered: isAnswered });
    };
  }
}
