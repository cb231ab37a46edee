import type { ConsoleLine } from '../echo-buffer.js';
import type { FromWorker, LiveView, ToWorker } from './messages.js';

interface Handlers {
  /** Must draw the view before it returns. */
  onView: (view: LiveView) => void;
  onFailure: (message: string) => void;
}

/** The page's end of the worker that has the echoes of one live run. */
export class LiveRunClient {
  readonly #worker = new Worker(new URL('./echo-worker.ts', import.meta.url), { type: 'module' });
  readonly #waiting: ((lines: ConsoleLine[]) => void)[] = [];
  #frame = 0;

  constructor({ onView, onFailure }: Handlers) {
    this.#worker.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
      if (data.kind === 'lines') {
        this.#waiting.shift()?.(data.lines);
        return;
      }
      onView(data.view);
      // While the tab is hidden, there are no frames, and so no views.
      this.#frame = requestAnimationFrame(() => this.send({ kind: 'drawn' }));
    });
    this.#worker.addEventListener('error', () => {
      onFailure('A part of the panel failed to load. Reload the page.');
    });
  }

  send(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  /** Loads lines before the one with this key. */
  linesBefore(key: number): Promise<ConsoleLine[]> {
    return new Promise(resolve => {
      this.#waiting.push(resolve);
      this.send({ kind: 'before', key });
    });
  }

  close(): void {
    cancelAnimationFrame(this.#frame);
    this.#worker.terminate();
    for (const resolve of this.#waiting.splice(0)) resolve([]);
  }
}
