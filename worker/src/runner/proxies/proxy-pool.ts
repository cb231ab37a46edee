import { createHash } from 'node:crypto';
import { PROXY_LIMITS, type ProxyUse, type TakenProxies } from '@trawl/contracts';

/** Selects proxies of a pool: all of them, or those of a country or a tier. */
export interface PoolChoice {
  pool: string;
  country?: string;
  tier?: number;
}

/** Calls of the platform. */
export interface PoolPlatform {
  take(choice: PoolChoice): Promise<TakenProxies>;
  /** Reports totals of the run. Returns the proxies that rest now. */
  report(totals: ProxyUse[]): Promise<{ id: string; rest_ms: number }[]>;
}

export interface PooledProxy {
  id: string;
  url: string;
  tier: number;
  /** Time until which it rests; in the past if it does not. */
  restUntil: number;
  /** Time until which others of its tier are preferred, because it has just failed. */
  avoidUntil: number;
  /** Number of failures since the last success. */
  failures: number;
  /** Number of the last connection that it was chosen for. */
  lastUse: number;
}

/** After a failure, a run prefers others of the same tier for so long. */
const AVOID_MS = 10_000;

/** The proxies that a run has of a pool, in the order in which it uses them. */
export class ProxyPool {
  isSticky = false;
  #proxies: PooledProxy[] = [];
  /** The proxy of each session. */
  readonly #sessions = new Map<string, PooledProxy>();
  #uses = 0;

  constructor(taken: TakenProxies) {
    this.update(taken);
  }

  /** Takes over what the platform knows now. */
  update({ is_sticky, proxies }: TakenProxies): void {
    const known = new Map(this.#proxies.map(proxy => [proxy.id, proxy]));
    const now = performance.now();
    this.isSticky = is_sticky;
    this.#proxies = proxies.map(({ id, url, tier, rest_ms }) => {
      const same = known.get(id) ?? { avoidUntil: 0, failures: 0, lastUse: 0 };
      return Object.assign(same, { id, url, tier, restUntil: now + rest_ms });
    });
  }

  /**
   * Chooses the proxy for a connection: one that does not rest, of the lowest tier that has one, in turns. If all rest,
   * the one that rests for the shortest time.
   *
   * @param session has the same proxy as before, as long as this one does not rest; null if the connection has no session
   * @param tried proxies that have not opened this connection
   * @returns undefined if all were tried
   */
  choose(session: string | null, tried: ReadonlySet<PooledProxy>): PooledProxy | undefined {
    const now = performance.now();
    const untried = this.#proxies.filter(proxy => !tried.has(proxy));
    const awake = untried.filter(({ restUntil }) => restUntil <= now);
    const tier = Math.min(...awake.map(proxy => proxy.tier));
    const inTier = awake.filter(proxy => proxy.tier === tier);
    const sound = inTier.filter(({ avoidUntil }) => avoidUntil <= now);
    const fitting = sound.length > 0 ? sound : inTier;
    const known = session === null ? undefined : this.#sessions.get(session);
    const chosen =
      known && awake.includes(known)
        ? known
        : fitting.length === 0
          ? least(untried, ({ restUntil }) => restUntil)
          : session === null
            ? least(fitting, ({ lastUse }) => lastUse)
            : least(fitting, ({ id }) => createHash('sha256').update(`${session}\0${id}`).digest('hex'));
    if (!chosen) return undefined;
    this.#uses += 1;
    chosen.lastUse = this.#uses;
    return chosen;
  }

  /** Lets a proxy rest after several failures in a row, as the platform does when it hears of them. */
  failed(proxy: PooledProxy): void {
    proxy.failures += 1;
    proxy.avoidUntil = performance.now() + AVOID_MS;
    if (proxy.failures >= PROXY_LIMITS.failuresBeforeRest) this.rest(proxy.id, PROXY_LIMITS.firstRestMs);
  }

  succeeded(proxy: PooledProxy, session: string | null): void {
    proxy.failures = 0;
    proxy.restUntil = 0;
    proxy.avoidUntil = 0;
    if (session === null) return;
    const known = this.#sessions.get(session);
    const keepsKnown = known && this.#proxies.includes(known) && known.restUntil <= performance.now();
    if (!keepsKnown) this.#sessions.set(session, proxy);
  }

  rest(id: string, ms: number): void {
    const proxy = this.#proxies.find(other => other.id === id);
    if (proxy) proxy.restUntil = performance.now() + ms;
  }
}

function least<Item>(items: readonly Item[], value: (item: Item) => number | string): Item | undefined {
  let found: Item | undefined;
  let smallest: number | string | undefined;
  for (const item of items) {
    const own = value(item);
    if (smallest !== undefined && own >= smallest) continue;
    [found, smallest] = [item, own];
  }
  return found;
}
