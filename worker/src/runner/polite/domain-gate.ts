import { setTimeout } from 'node:timers';
import { type DomainSlots, POLITE_LIMITS, type RobotsMode } from '@trawl/contracts';
import type { Disallowed, loadRules, RobotsRules } from './robots-rules.js';

/** Calls of the platform, and what the run shows. */
export interface GatePlatform {
  reserve(domains: [domain: string, wanted: number, succeeded: boolean, holds?: number][]): Promise<DomainSlots[]>;
  /** Closes a domain for all polite runs of the account. Returns for how long. */
  close(domain: string, retryAfterMs: number | null): Promise<number>;
  /** Keeps the time between requests that robots.txt asks for; 0 for none. */
  setCrawlDelay(domain: string, ms: number): Promise<void>;
  loadRules: typeof loadRules;
  warn(text: string): void;
}

/** Call it when a request that has entered is over. Repeated calls do nothing. */
export type Leave = () => void;

interface Waiter {
  /** @param leave undefined if the requests in progress at the domain are not limited */
  enter(leave: Leave | undefined): void;
  refuse(error: Error): void;
}

interface Domain {
  name: string;
  /** Times at which requests may go, the earliest first. */
  slots: number[];
  waiting: Waiter[];
  /** Number of slots to reserve next. It doubles while the run uses all of them in time. */
  wanted: number;
  /** Whether it has answered, with a status that does not close it, since the last reservation. */
  succeeded: boolean;
  isReserving: boolean;
  isClosing: boolean;
  /** Number of times that this run has closed it. Slots that were reserved before are not used. */
  closings: number;
  timer: NodeJS.Timeout | undefined;
  /** Unknown before the first reservation. */
  robots: RobotsMode | undefined;
  crawlDelayMs: number;
  /** Whether requests in progress are limited. */
  isLimited: boolean;
  /** Requests in progress that entered while they were limited. */
  busy: number;
  /** Places that the run has, as the platform counts them. */
  held: number;
  rules: RobotsRules | undefined;
  /** Set while `robots` or `rules` is being found out. */
  learning: Promise<void> | undefined;
  /** Number of requests that wait for that. */
  behind: number;
  /** Lines of robots.txt of which the run was warned. */
  warned: Set<number>;
  /** Whether the run was warned that its requests wait long for each other. */
  isKnownSlow: boolean;
}

/** Slots that are older than this are lost, except the last: many of them at once would be a burst. */
const STALE_MS = 250;
/** The largest number of slots that a run reserves before its requests need them. */
const MAX_AHEAD = 64;
const MAX_WANTED = 10_000;
/** A run that waits for a domain asks again after this time, because somebody may open the domain. */
const ASK_AGAIN_MS = 10_000;
/** Idle domains are forgotten when there are more than this. */
const MAX_DOMAINS = 1_000;
/** A run keeps a place for this time after a request, because the next one often follows soon. */
const GIVE_BACK_MS = 20;
const CLOSING_STATUSES = new Set([429, 503]);

/** Lets each request of a polite run wait for a slot of its domain. The platform gives the slots, several at once. */
export class DomainGate {
  isOn = false;
  readonly #platform: GatePlatform;
  #domains = new Map<string, Domain>();
  #toReserve = new Set<Domain>();
  /** URLs of requests for robots.txt, which take no slots of their own. */
  readonly #ofRobots = new Set<string>();

  constructor(platform: GatePlatform) {
    this.#platform = platform;
  }

  /** Begins a run. Requests of the run before wait without end. */
  start(): void {
    this.stop();
    this.isOn = true;
  }

  stop(): void {
    this.isOn = false;
    for (const { timer } of this.#domains.values()) clearTimeout(timer);
    this.#domains = new Map();
    this.#toReserve = new Set();
  }

  /** Names what the requests wait for that have not entered, for the error of a run that reaches its time limit. */
  get waits(): string[] {
    return [...this.#domains.values()]
      .filter(({ waiting, behind }) => waiting.length + behind > 0)
      .map(({ name }) => `the rate limit of ${name}`);
  }

  /**
   * Resolves when a request may go; returns null if it may go at once. Rejects if robots.txt disallows it, or no slot can be
   * reserved. If it resolves with a function, call that when the request is over.
   */
  enter(url: URL): Promise<Leave | undefined> | null {
    const { host } = url;
    // Such a name has no address.
    if (!this.isOn || host.length > POLITE_LIMITS.domainChars || this.#ofRobots.has(url.href)) return null;
    const domain = this.#domainOf(host);
    const { robots, rules } = domain;
    if (robots === 'ignore' || (robots && rules)) return this.#enterKnown(domain, url);
    domain.behind += 1;
    domain.learning ??= this.#learn(domain, url.origin).finally(() => {
      domain.learning = undefined;
    });
    return domain.learning
      .finally(() => {
        domain.behind -= 1;
        if (this.#isCurrent(domain)) this.#next(domain);
      })
      .then(() => this.#enterKnown(domain, url) ?? undefined);
  }

  #enterKnown(domain: Domain, url: URL): Promise<Leave | undefined> | null {
    const disallowed = domain.robots === 'ignore' ? null : domain.rules?.disallowed(url);
    if (disallowed && domain.robots === 'obey') return Promise.reject(new Error(refusal(url, disallowed)));
    if (disallowed) this.#warnOf(domain, disallowed);
    return this.#slot(domain);
  }

  /** Finds out whether the run obeys the robots.txt of a domain, and reads it. Its request takes a slot, too. */
  async #learn(domain: Domain, origin: string): Promise<void> {
    const leave = await this.#slot(domain);
    if (domain.robots === 'ignore') {
      domain.slots.unshift(performance.now());
      leave?.();
      return;
    }
    const sent: string[] = [];
    const { rules, problem } = await this.#platform.loadRules(origin, url => {
      sent.push(url);
      this.#ofRobots.add(url);
    });
    for (const url of sent) this.#ofRobots.delete(url);
    leave?.();
    domain.rules = rules;
    const file = `robots.txt of ${domain.name}`;
    if (problem) this.#platform.warn(`Trawl could not read ${file}, so the run does without its rules: ${problem}.`);
    const { crawlDelayMs } = rules;
    if (crawlDelayMs === domain.crawlDelayMs || !this.#isCurrent(domain)) return;
    await this.#platform.setCrawlDelay(domain.name, crawlDelayMs);
    // They were reserved for shorter intervals.
    domain.slots = [];
    if (crawlDelayMs === 0) return;
    const does = domain.robots === 'obey' ? 'All polite runs of your account obey it' : 'The run does not obey it';
    this.#platform.warn(`${file} asks for ${crawlDelayMs / 1_000} s between requests. ${does}.`);
  }

  #warnOf({ name, warned }: Domain, { line, text }: Disallowed): void {
    if (warned.has(line)) return;
    warned.add(line);
    this.#platform.warn(`robots.txt of ${name} disallows requests of this run: line ${line}, ${text}`);
  }

  /** Takes a slot of the domain. */
  #slot(domain: Domain): Promise<Leave | undefined> | null {
    if (!domain.isLimited && domain.waiting.length === 0 && take(domain)) return null;
    return new Promise((resolve, reject) => {
      domain.waiting.push({ enter: resolve, refuse: reject });
      this.#next(domain);
    });
  }

  /** @param retryAfter the header of this name */
  answered(name: string, status: number, retryAfter: string | undefined): void {
    const domain = this.#domains.get(name);
    if (!domain) return;
    if (!CLOSING_STATUSES.has(status)) domain.succeeded ||= status < 500;
    else if (!domain.isClosing) void this.#close(domain, status, waitIn(retryAfter));
  }

  async #close(domain: Domain, status: number, retryAfterMs: number | null): Promise<void> {
    const { name } = domain;
    domain.isClosing = true;
    domain.closings += 1;
    domain.succeeded = false;
    domain.slots = [];
    clearTimeout(domain.timer);
    try {
      const ms = await this.#platform.close(name, retryAfterMs);
      if (!this.#isCurrent(domain)) return;
      this.#platform.warn(`${name} answered ${status}. All polite runs of your account wait ${seconds(ms)} for it.`);
    } catch (error) {
      this.#platform.warn(`${name} answered ${status}, but Trawl could not close it: ${(error as Error).message}`);
    } finally {
      domain.isClosing = false;
      if (this.#isCurrent(domain)) this.#next(domain);
    }
  }

  /** Lets the first waiting request enter when its time has come. */
  #next(domain: Domain): void {
    while (domain.waiting.length > 0 && take(domain)) domain.waiting.shift()?.enter(this.#leaving(domain));
    const [slot] = domain.slots;
    if (domain.isClosing || domain.isReserving) return;
    if (domain.waiting.length === 0) this.#giveBack(domain);
    else if (slot === undefined) this.#reserve(domain);
    else this.#wake(domain, slot - performance.now(), () => this.#next(domain));
  }

  #leaving(domain: Domain): Leave | undefined {
    if (!domain.isLimited) return undefined;
    domain.busy += 1;
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      domain.busy -= 1;
      if (this.#isCurrent(domain)) this.#next(domain);
    };
  }

  /** Gives places back that no request needs. A reservation does so, too. */
  #giveBack(domain: Domain): void {
    if (!hasUnused(domain)) return;
    this.#wake(domain, GIVE_BACK_MS, () => {
      if (domain.isReserving || domain.isClosing || !hasUnused(domain)) return;
      if (domain.isLimited) domain.slots = [];
      this.#reserve(domain);
    });
  }

  #wake(domain: Domain, ms: number, then: () => void): void {
    clearTimeout(domain.timer);
    domain.timer = setTimeout(then, Math.max(0, ms));
  }

  /** Reserves slots, together with those of other domains that are wanted at this moment. */
  #reserve(domain: Domain): void {
    domain.isReserving = true;
    this.#toReserve.add(domain);
    if (this.#toReserve.size === 1) void Promise.resolve().then(() => this.#reserveAll());
  }

  async #reserveAll(): Promise<void> {
    const domains = [...this.#toReserve];
    this.#toReserve.clear();
    for (let at = 0; at < domains.length; at += POLITE_LIMITS.domainsAtOnce) {
      void this.#reserveSome(domains.slice(at, at + POLITE_LIMITS.domainsAtOnce));
    }
  }

  async #reserveSome(domains: Domain[]): Promise<void> {
    const sent = domains.map(domain => ({ closings: domain.closings, holds: domain.busy + domain.slots.length }));
    try {
      const slots = await this.#platform.reserve(
        domains.map((domain, index) => {
          const { name, succeeded, isLimited, held } = domain;
          const wanted = Math.min(MAX_WANTED, wantedOf(domain));
          const holds = Math.min(MAX_WANTED, sent[index]?.holds ?? 0);
          return isLimited || held > 0 ? [name, wanted, succeeded, holds] : [name, wanted, succeeded];
        }),
      );
      const byName = new Map(slots.map(slot => [slot.domain, slot]));
      for (const [index, domain] of domains.entries()) {
        domain.isReserving = false;
        if (!this.#isCurrent(domain)) continue;
        const { closings, holds } = sent[index] as (typeof sent)[number];
        const got = byName.get(domain.name) as DomainSlots;
        domain.isLimited = got.is_limited ?? false;
        if (domain.isLimited) domain.held = holds + got.granted;
        else if (domain.held > 0) domain.held = holds;
        if (domain.closings !== closings) this.#next(domain);
        else this.#reserved(domain, got);
      }
    } catch (error) {
      const text = `Trawl could not reserve a slot for a request: ${(error as Error).message}`;
      for (const domain of domains) {
        domain.isReserving = false;
        for (const { refuse } of domain.waiting.splice(0)) refuse(new Error(text));
      }
    }
  }

  #reserved(domain: Domain, slots: DomainSlots): void {
    const { granted, start_ms, interval_ms, wait_ms, is_closed } = slots;
    domain.robots = slots.robots ?? 'ignore';
    domain.crawlDelayMs = slots.crawl_delay_ms ?? 0;
    domain.succeeded = false;
    const now = performance.now();
    for (let n = 0; n < granted; n += 1) domain.slots.push(now + Math.max(0, start_ms + n * interval_ms));
    domain.wanted = Math.min(2 * domain.wanted, MAX_AHEAD);
    const ms = granted > 0 ? start_ms : wait_ms;
    if (!is_closed && ms > ASK_AGAIN_MS && !domain.isKnownSlow && domain.waiting.length > 0) {
      domain.isKnownSlow = true;
      const reason =
        domain.crawlDelayMs > 0
          ? `its robots.txt asks for ${seconds(domain.crawlDelayMs)} between requests`
          : 'of its rate limit';
      this.#platform.warn(`The next request to ${domain.name} waits ${seconds(ms)}, because ${reason}.`);
    }
    if (granted > 0 || domain.waiting.length === 0) {
      this.#next(domain);
      return;
    }
    if (is_closed && wait_ms > ASK_AGAIN_MS)
      this.#platform.warn(`${domain.name} is closed for ${seconds(wait_ms)}. The run waits.`);
    this.#wake(domain, Math.min(wait_ms, ASK_AGAIN_MS), () => this.#next(domain));
  }

  #isCurrent(domain: Domain): boolean {
    return this.#domains.get(domain.name) === domain;
  }

  #domainOf(name: string): Domain {
    const known = this.#domains.get(name);
    if (known) return known;
    if (this.#domains.size >= MAX_DOMAINS) this.#forgetIdle();
    const domain: Domain = {
      name,
      slots: [],
      waiting: [],
      wanted: 1,
      succeeded: false,
      isReserving: false,
      isClosing: false,
      closings: 0,
      timer: undefined,
      robots: undefined,
      crawlDelayMs: 0,
      isLimited: false,
      busy: 0,
      held: 0,
      rules: undefined,
      learning: undefined,
      behind: 0,
      warned: new Set(),
      isKnownSlow: false,
    };
    this.#domains.set(name, domain);
    return domain;
  }

  #forgetIdle(): void {
    for (const [name, { waiting, isReserving, isClosing, behind, held }] of this.#domains) {
      if (waiting.length === 0 && behind === 0 && held === 0 && !isReserving && !isClosing) this.#domains.delete(name);
    }
  }
}

/** Whether a domain has places that no request needs. */
const hasUnused = ({ held, busy, behind, waiting }: Domain): boolean =>
  held > busy && behind === 0 && waiting.length === 0;

/** Slots ahead of their requests would take the places of other runs. */
function wantedOf({ isLimited, wanted, behind, waiting }: Domain): number {
  const needed = Math.max(behind, waiting.length);
  return isLimited || needed === 0 ? needed : Math.max(wanted, needed);
}

/** Takes a slot whose time has come. Returns false if there is none. */
function take(domain: Domain): boolean {
  const { slots } = domain;
  const now = performance.now();
  // The last one is kept however late it is: a busy process would otherwise lose each slot before it can use it.
  while (slots.length > 1 && (slots[0] as number) < now - STALE_MS) {
    slots.shift();
    domain.wanted = 1;
  }
  if (slots.length === 0 || (slots[0] as number) > now) return false;
  slots.shift();
  return true;
}

/** Returns the time that a header `Retry-After` asks for, in ms: it has seconds or a date. Null if it has neither. */
function waitIn(retryAfter: string | undefined): number | null {
  if (retryAfter === undefined) return null;
  const ms = /^\s*\d+\s*$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}

const refusal = ({ host, pathname }: URL, { line, text }: Disallowed): string =>
  `robots.txt of ${host} disallows ${pathname.slice(0, 200)}: line ${line}, ${text.slice(0, 200)}. To send such requests, set robots.txt of this domain to \`warn\` or \`ignore\`: in the panel under Skripts, Crawling, Polite domains, or with PUT /joint-api/polite-domains/${host}.`;

const seconds = (ms: number): string => `${Math.ceil(ms / 1_000)} s`;
