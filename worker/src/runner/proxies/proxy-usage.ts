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

/** Counts what a run does with its proxies, and reports the totals that have changed soon after. */
export class ProxyUsage {
  readonly #report: (totals: ProxyUse[]) => Promise<void>;
  #totals = new Map<string, ProxyUse>();
  /** Ids of the proxies whose totals have changed since their last report. */
  readonly #changed = new Set<string>();
  readonly #open = new Set<Counted>();
  #timer: NodeJS.Timeout | undefined;
  #reporting: Promise<void> = Promise.resolve();

  constructor(report: (totals: ProxyUse[]) => Promise<void>) {
    this.#report = report;
  }

  /** Counts a connection that a proxy has opened, or has not. */
  add(id: string, what: 'connections' | 'failures'): void {
    this.#change(id)[what] += 1;
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

  /** Reports all totals that have changed. Never rejects: the next report repeats the totals of one that failed. */
  async flush(): Promise<void> {
    for (const counted of this.#open) this.#count(counted);
    const totals = this.#totals;
    const ids = [...this.#changed];
    this.#stop();
    for (let at = 0; at < ids.length; at += PROXY_LIMITS.reportedAtOnce) {
      const some = ids.slice(at, at + PROXY_LIMITS.reportedAtOnce);
      this.#reporting = this.#reporting.then(() => this.#send(totals, some));
    }
    await this.#reporting;
  }

  /** Begins the totals of another run. */
  forget(): void {
    for (const counted of this.#open) this.#count(counted);
    this.#reporting = Promise.resolve();
    this.#totals = new Map();
    this.#stop();
  }

  async #send(totals: Map<string, ProxyUse>, ids: string[]): Promise<void> {
    // Totals of an earlier run must not count for this one.
    if (totals !== this.#totals) return;
    try {
      await this.#report(ids.map(id => ({ ...(totals.get(id) as ProxyUse) })));
    } catch {
      if (totals === this.#totals) for (const id of ids) this.#changed.add(id);
    }
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#changed.clear();
  }

  #count(counted: Counted): void {
    const { bytesRead, bytesWritten } = counted.handle;
    if (bytesRead === counted.received && bytesWritten === counted.sent) return;
    const use = this.#change(counted.id);
    use.bytes_received += bytesRead - counted.received;
    use.bytes_sent += bytesWritten - counted.sent;
    Object.assign(counted, { received: bytesRead, sent: bytesWritten });
  }

  /** Returns the totals of a proxy that are about to change. */
  #change(id: string): ProxyUse {
    this.#changed.add(id);
    this.#timer ??= setTimeout(() => void this.flush(), REPORT_MS).unref();
    const known = this.#totals.get(id);
    if (known) return known;
    const use: ProxyUse = { id, connections: 0, failures: 0, bytes_sent: 0, bytes_received: 0 };
    this.#totals.set(id, use);
    return use;
  }
}
