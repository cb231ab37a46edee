import type { HeaderPair } from '@trawl/contracts';
import type { ExchangeHead, RequestKey } from '../../records/record-format.js';
import { RecordRedaction } from './record-redaction.js';
import type { RecordedAnswers } from './recorded-answers.js';
import { requestKey } from './request-key.js';

/** An address may have any length, and an error is for people. */
const MAX_SHOWN_CHARS = 500;

const NOTHING_SECRET = new RecordRedaction(null);

export interface ReplayedRequest {
  method: string;
  url: string;
  headers: readonly HeaderPair[];
  body: Uint8Array;
}

export interface Answer {
  head: ExchangeHead;
  body: Buffer;
}

export interface ReplayEvents {
  /** Ends the run, because the record has no answer. Null: the request goes to the network. */
  missed: ((text: string) => void) | null;
  warn(text: string): void;
}

/** Answers the requests of one run from a record. */
export class Replay {
  readonly #answers: RecordedAnswers;
  readonly #redaction: RecordRedaction;
  readonly #events: ReplayEvents;

  constructor(answers: RecordedAnswers, redaction: RecordRedaction, events: ReplayEvents) {
    this.#answers = answers;
    this.#redaction = redaction;
    this.#events = events;
  }

  /** Whether requests without a recorded answer go to the network. */
  get mayUseNetwork(): boolean {
    return this.#events.missed === null;
  }

  /**
   * Returns null if the record has no answer.
   *
   * @param isOptional whether the run continues without the answer, such as one without an image
   */
  async answer(request: ReplayedRequest, isOptional = false): Promise<Answer | null> {
    const key = requestKey(request, this.#redaction);
    let leftOut: string | undefined;
    try {
      // The recorder may not have had a value that is in the input secret now.
      const next = (await this.#answers.next(key)) ?? (await this.#answers.next(requestKey(request, NOTHING_SECRET)));
      leftOut = next?.found.head.left_out;
      if (next && leftOut === undefined) return { head: next.found.head, body: next.body };
    } catch (error) {
      (this.#events.missed ?? this.#events.warn)(String(error));
      return null;
    }
    const text = `The record has no answer to ${shown(`${key.method} ${key.url}`)}${key.request ? ' with this body' : ''}${this.#reason(key, leftOut)}`;
    if (this.#events.missed === null) this.#events.warn(`${text} The request goes to the network.`);
    else if (isOptional) this.#events.warn(`${text} The page continues without it.`);
    else this.#events.missed(text);
    return null;
  }

  #reason(key: RequestKey, leftOut: string | undefined): string {
    if (leftOut !== undefined) return `: the recorder left it out, because ${shown(leftOut)}.`;
    const nearest = this.#answers.nearest(key);
    return nearest === null ? '. It has no exchange at all.' : `. The nearest recorded request is ${shown(nearest)}.`;
  }

  /** Reports something that a record cannot have. */
  unsupported(text: string): void {
    this.#events.warn(`A replay cannot answer: ${text}.`);
  }
}

const shown = (request: string): string =>
  request.length <= MAX_SHOWN_CHARS ? request : `${request.slice(0, MAX_SHOWN_CHARS)}…`;
