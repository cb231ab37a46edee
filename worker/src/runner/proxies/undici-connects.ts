import { subscribe } from 'node:diagnostics_channel';

/** Recognizes the connections of undici, and so of `fetch`, which gives its request to a socket only once it is open. */
export class UndiciConnects {
  #target: string | null = null;

  constructor() {
    subscribe('undici:client:beforeConnect', message => {
      const { hostname, protocol, port } = (message as { connectParams: Record<string, string> }).connectParams;
      this.#target = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
      // Without a connector of its own, undici connects before this.
      queueMicrotask(() => {
        this.#target = null;
      });
    });
  }

  /** Returns whether it is undici that calls `connect` now. */
  isConnecting(host: string, port: number): boolean {
    return this.#target === `${host}:${port}`;
  }
}
