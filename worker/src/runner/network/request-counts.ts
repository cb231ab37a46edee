import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { LIMITS, type RequestedHost } from '@trawl/contracts';

/** Hosts that are counted by name. The requests to all others are counted together. */
const OTHERS = '';

/**
 * Counts the HTTP requests of the current run by host: those of `fetch`, and of libraries that use Node's `http` or
 * undici. Requests of a browser do not pass through this process.
 */
export class RequestCounts {
  readonly #counts = new Map<string, number>();

  /** Call it once, before a run. Node reports requests only to those who subscribe. */
  install(): void {
    subscribe('undici:request:create', message => {
      const { origin } = (message as { request: { origin?: unknown } }).request;
      this.#add(String(origin).replace(/^\w+:\/\//, ''));
    });
    subscribe('http.client.request.start', message => {
      const { request } = message as { request: ClientRequest & { socketPath?: string } };
      // The worker's proxy has a socket with a path.
      if (request.socketPath === undefined) this.#add(String(request.getHeader('host') ?? request.host));
    });
  }

  /** Returns the counts of the run that ends, and begins anew; undefined if there were no requests. */
  take(): RequestedHost[] | undefined {
    if (this.#counts.size === 0) return undefined;
    const counts = [...this.#counts].map(([host, count]) => ({ host, count }));
    this.#counts.clear();
    return counts;
  }

  #add(host: string): void {
    const isKnown = this.#counts.has(host) || this.#counts.size < LIMITS.requestedHosts;
    const key = isKnown ? host.slice(0, LIMITS.hostChars) : OTHERS;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }
}
