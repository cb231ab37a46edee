import type { LiveEchoes } from '@trawl/contracts';
import { contentOf } from '../console-content.js';
import { addEchoes, type ConsoleLine, consoleLines, type EchoBuffer, hasGaps } from '../echo-buffer.js';
import { addQuestions, NO_QUESTIONS } from '../questions.js';
import { type EchoFilter, type FromWorker, type LiveView, NO_FILTER, type ToWorker } from './messages.js';

/** The shortest time between two views. */
const VIEW_MS = 100;
/** Number of lines in a view: more than a console at the end of its lines can show. */
const VIEW_LINES = 100;
/** Number of earlier lines in a message: few enough for the page to receive within a frame. */
const EARLIER_LINES = 500;

/** Returns the echoes that match the filter, or with an empty filter all of them and the gaps between them. */
const filteredLines = (echoes: EchoBuffer, { type, text }: EchoFilter): ConsoleLine[] => {
  if (type === null && text === '') return consoleLines(echoes);
  const searched = text.toLowerCase();
  return echoes
    .filter(echo => (type === null || echo.type === type) && echo.msg.toLowerCase().includes(searched))
    .map(echo => ({ kind: 'echo', echo }));
};

/** The echoes of one run. It parses, filters and counts them in a web worker, so that the page stays responsive. */
export class LiveRun {
  #echoes: EchoBuffer = [];
  #questions = NO_QUESTIONS;
  #filter = NO_FILTER;
  /** All lines of the last view. */
  #lines: readonly ConsoleLine[] = [];
  #held: readonly ConsoleLine[] = [];
  #isChanged = false;
  #isDrawn = true;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly post: (message: FromWorker, transfer: Transferable[]) => void) {}

  take(message: ToWorker): void {
    if (message.kind === 'hold') this.#held = this.#lines;
    else if (message.kind === 'before') this.#postBefore(message.key);
    else {
      this.#change(message);
      this.#postView();
    }
  }

  #change(message: Exclude<ToWorker, { kind: 'hold' | 'before' }>): void {
    if (message.kind === 'drawn') {
      this.#isDrawn = true;
      return;
    }
    if (message.kind === 'filter') {
      this.#filter = message.filter;
      this.#isChanged = true;
      return;
    }
    const items = message.kind === 'batch' ? itemsOf(message) : message.items;
    if (items.length === 0) return;
    this.#questions = addQuestions(this.#questions, items);
    if (message.kind !== 'questions') this.#echoes = addEchoes(this.#echoes, items);
    this.#isChanged = true;
  }

  /** Sends the first change at once, and later ones together when the time has passed and the page has drawn the last. */
  #postView(): void {
    if (!this.#isChanged || !this.#isDrawn || this.#timer !== undefined) return;
    this.#isChanged = false;
    this.#isDrawn = false;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#postView();
    }, VIEW_MS);
    const view = this.#view();
    this.post({ kind: 'view', view }, [view.content.keys.buffer]);
  }

  #view(): LiveView {
    const echoes = this.#echoes;
    this.#lines = filteredLines(echoes, this.#filter);
    return {
      filter: this.#filter,
      content: contentOf(this.#lines, VIEW_LINES),
      loaded: echoes.length,
      lastSeq: echoes.at(-1)?.seq ?? 0,
      isIncomplete: hasGaps(echoes),
      errorSeqs: echoes.flatMap(({ type, seq }) => (type === 'error' ? [seq] : [])),
      questions: this.#questions,
    };
  }

  #postBefore(key: number): void {
    const end = contentOf(this.#held).keys.indexOf(key);
    const lines = end < 0 ? [] : this.#held.slice(Math.max(0, end - EARLIER_LINES), end);
    this.post({ kind: 'lines', lines: [...lines] }, []);
  }
}

function itemsOf({ executionId, json }: Extract<ToWorker, { kind: 'batch' }>): LiveEchoes['items'] {
  const batch = JSON.parse(json) as LiveEchoes;
  return batch.execution_id === executionId ? batch.items : [];
}
