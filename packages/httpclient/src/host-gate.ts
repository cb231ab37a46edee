/** Hosts that the gate remembers before it looks for idle ones to forget. */
const MANY_HOSTS = 1000;

interface Host {
  active: number;
  /** Time of `performance.now` before which no request may start. */
  nextStartMs: number;
  waiting: (() => void)[];
}

/** Delays requests so that each host gets few at a time, and not too often. */
export class HostGate {
  readonly #hosts = new Map<string, Host>();

  constructor(private readonly maxConcurrency: number) {}

  /**
   * Waits for a place at a host, in the order of the calls.
   *
   * @param delayMs minimum time from the start of this request to the start of the next
   * @returns a function that gives the place back
   */
  async enter(name: string, delayMs: number): Promise<() => void> {
    const host = this.#host(name);
    if (host.active < this.maxConcurrency) host.active++;
    else await new Promise<void>(resolve => host.waiting.push(resolve));
    const startMs = Math.max(performance.now(), host.nextStartMs);
    host.nextStartMs = startMs + delayMs;
    const waitMs = startMs - performance.now();
    if (waitMs > 0) await new Promise(resolve => setTimeout(resolve, waitMs));
    return () => {
      const next = host.waiting.shift();
      // The next request takes over this place.
      if (next) next();
      else host.active--;
    };
  }

  #host(name: string): Host {
    const known = this.#hosts.get(name);
    if (known) return known;
    if (this.#hosts.size >= MANY_HOSTS) {
      const now = performance.now();
      for (const [other, { active, nextStartMs }] of this.#hosts) {
        if (active === 0 && nextStartMs <= now) this.#hosts.delete(other);
      }
    }
    const host: Host = { active: 0, nextStartMs: 0, waiting: [] };
    this.#hosts.set(name, host);
    return host;
  }
}
