import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers';
import { PROXY_LIMITS, type ProxyUse } from '@trawl/contracts';

/** The native part of a connection, which counts its bytes. */
interface Handle {
  bytesRead: number;
  bytesWritten: number;
  close(...args: unknown[]): void;
}

interface Counted {
  id: string;
  handle: Handle;
  sent: number;
  received: number;
}

const REPORT_MS = 1_000;

/** Counts what a run does with its proxies, and reports it soon after. */
export class ProxyUsage {
  readonly #report: (uses: ProxyUse[]) => Promise<void>;
  #uses = new Map<string, ProxyUse>();
  readonly #open = new Set<Counted>();
  #timer: NodeJS.Timeout | undefined;
  #reporting: Promise<void> = Promise.resolve();

  constructor(report: (uses: ProxyUse[]) => Promise<void>) {
    this.#report = report;
  }

  /** Counts a connection that a proxy has opened, or has not. */
  add(id: string, what: 'connections' | 'failures'): void {
    this.#of(id)[what] += 1;
  }

  /** Counts the bytes of a connection to a proxy until it is closed. */
  watch(id: string, socket: Socket): void {
    const { _handle: handle } = socket as unknown as { _handle: Handle };
    const counted: Counted = { id, handle, sent: handle.bytesWritten, received: handle.bytesRead };
    this.#open.add(counted);
    const { close } = handle;
    handle.close = (...args) => {
      this.#count(counted);
      this.#open.delete(counted);
      close.apply(handle, args);
    };
  }

  /** Reports everything that has not been reported. Never rejects: a report that fails is lost. */
  async flush(): Promise<void> {
    for (const counted of this.#open) this.#count(counted);
    const uses = [...this.#uses.values()];
    this.#stop();
    for (let at = 0; at < uses.length; at += PROXY_LIMITS.reportedAtOnce) {
      const some = uses.slice(at, at + PROXY_LIMITS.reportedAtOnce);
      this.#reporting = this.#reporting.then(() => this.#report(some)).catch(() => {});
    }
    await this.#reporting;
  }

  /** Forgets what has not been reported. */
  forget(): void {
    for (const counted of this.#open) this.#count(counted);
    this.#reporting = Promise.resolve();
    this.#stop();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#uses = new Map();
  }

  #count(counted: Counted): void {
    const { bytesRead, bytesWritten } = counted.handle;
    if (bytesRead === counted.received && bytesWritten === counted.sent) return;
    const use = this.#of(counted.id);
    use.bytes_received += bytesRead - counted.received;
    use.bytes_sent += bytesWritten - counted.sent;
    Object.assign(counted, { received: bytesRead, sent: bytesWritten });
  }

  #of(id: string): ProxyUse {
    const known = this.#uses.get(id);
    if (known) return known;
    const use: ProxyUse = { id, connections: 0, failures: 0, bytes_sent: 0, bytes_received: 0 };
    this.#uses.set(id, use);
    this.#timer ??= setTimeout(() => void this.flush(), REPORT_MS).unref();
    return use;
  }
}
