import type { Echo } from '@trawl/contracts';
import { LiveRun } from './features/echoes/live/live-run.js';

/** Handlers of the live connection by event. A test calls them to send events. */
export const liveHandlers = new Map<string, (data: unknown) => void>();

/** A stand-in for the live connection. Mock `liveSocket` with it. */
export const testSocket = {
  connected: true,
  on: (event: string, handler: (data: unknown) => void) => void liveHandlers.set(event, handler),
  off: () => undefined,
  emit: () => undefined,
};

/** Sends live echoes of a run, as the platform does. */
export const sendEchoes = (executionId: string, items: Echo[]): void =>
  liveHandlers.get('echoes')?.(JSON.stringify({ execution_id: executionId, from_seq: items[0]?.seq ?? 1, items }));

/** A stand-in for the web worker of live echoes, which jsdom lacks. It answers at once. */
class EchoWorker extends EventTarget {
  readonly #run = new LiveRun(data => this.dispatchEvent(new MessageEvent('message', { data })));

  postMessage = this.#run.take.bind(this.#run);

  terminate(): void {}
}

Object.assign(globalThis, { Worker: EchoWorker });
