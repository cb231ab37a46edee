import type { DomainSlots } from '@trawl/contracts';
import { DomainGate, type Leave } from './domain-gate.js';
import { rulesIn } from './robots-rules.js';

type Wanted = [domain: string, wanted: number, succeeded: boolean, holds?: number][];

let reserved: Wanted[];
let closed: [string, number | null][];
let warned: string[];
let answer: (domain: string, wanted: number, holds: number) => Partial<DomainSlots>;
let gate: DomainGate;
let delays: [string, number][];
let rules: { text: string; problem: string | null };
/** Origins whose robots.txt was loaded. */
let loaded: string[];

beforeEach(() => {
  jest.useFakeTimers();
  reserved = [];
  closed = [];
  warned = [];
  delays = [];
  loaded = [];
  rules = { text: '', problem: null };
  answer = (_domain, wanted) => ({ granted: wanted, start_ms: 0, interval_ms: 100 });
  gate = new DomainGate({
    reserve: async domains => {
      reserved.push(domains);
      const none = { granted: 0, start_ms: 0, interval_ms: 100, wait_ms: 0, is_closed: false };
      return domains.map(([domain, wanted, , holds = 0]) => ({ domain, ...none, ...answer(domain, wanted, holds) }));
    },
    close: async (domain, ms) => {
      closed.push([domain, ms]);
      return 5_000;
    },
    setCrawlDelay: async (domain, ms) => void delays.push([domain, ms]),
    loadRules: async (origin, begin) => {
      loaded.push(origin);
      begin(`${origin}/robots.txt`);
      // The request for robots.txt needs no slot of its own.
      expect(gate.enter(new URL(`${origin}/robots.txt`))).toBeNull();
      return { rules: rulesIn(rules.text, origin), problem: rules.problem };
    },
    warn: text => warned.push(text),
  });
  gate.start();
});
afterEach(() => {
  gate.stop();
  jest.useRealTimers();
});

/** Enters `count` times, and returns the names of those that have entered so far. */
function enter(domain: string, count: number, path = '/'): string[] {
  const entered: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const name = `${domain}${n}`;
    const entering = gate.enter(new URL(`http://${domain}${path}`));
    if (entering) entering.then(() => entered.push(name)).catch(error => entered.push(error.message));
    else entered.push(name);
  }
  return entered;
}
const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

it('requests enter in order, one for each slot, and all domains of a moment share a call', async () => {
  const [a, b] = [enter('a', 3), enter('b', 1)];
  await pass(0);
  expect(reserved).toEqual([
    [
      ['a', 3, false],
      ['b', 1, false],
    ],
  ]);
  expect([a, b]).toEqual([['a0'], ['b0']]);
  await pass(100);
  expect(a).toEqual(['a0', 'a1']);
  await pass(100);
  expect(a).toEqual(['a0', 'a1', 'a2']);
  expect(reserved).toHaveLength(1);
});

it('a run that uses its slots in time reserves more of them ahead, one that does not loses them', async () => {
  for (let n = 0; n < 7; n += 1) {
    enter('a', 1);
    await pass(100);
  }
  expect(reserved.map(([domain]) => domain?.[1])).toEqual([1, 2, 4]);
  enter('a', 1);
  await pass(0);
  await pass(10_000);
  const late = enter('a', 3);
  // Of the seven slots that are over, only the last is left.
  expect(late).toEqual(['a0']);
  await pass(0);
  expect(reserved.at(-1)?.[0]?.[1]).toBe(2);
});

it('a closing drops the slots in hand, is told once, and a success is reported with the next reservation', async () => {
  const first = enter('a', 3);
  await pass(0);
  gate.answered('a', 429, 'Wed, 21 Oct 2015 07:28:00 GMT');
  gate.answered('a', 503, '120');
  answer = () => ({ granted: 0, wait_ms: 30_000, is_closed: true });
  await pass(0);
  expect(closed).toEqual([['a', 0]]);
  expect(warned[0]).toBe('a answered 429. All polite runs of your account wait 5 s for it.');
  await pass(9_000);
  expect([first, reserved.length]).toEqual([['a0'], 2]);
  // Somebody has opened it.
  answer = (_domain, wanted) => ({ granted: wanted });
  await pass(1_000);
  expect(first).toEqual(['a0', 'a1']);
  gate.answered('a', 200, undefined);
  await pass(60_000);
  enter('a', 5);
  await pass(0);
  expect(reserved.at(-1)?.[0]?.[2]).toBe(true);
});

it.each(['soon', '', '-1', '1e400', '99999999999999999999999999', 'Infinity'])(
  'Retry-After: %s does no harm',
  async header => {
    enter('a', 1);
    await pass(0);
    gate.answered('a', 429, header);
    await pass(0);
    const [[, ms] = []] = closed;
    expect(ms === null || (Number.isFinite(ms) && (ms as number) >= 0)).toBe(true);
  },
);

it('millions of domains leave few behind', async () => {
  answer = (_domain, wanted) => ({ granted: wanted });
  for (let batch = 0; batch < 20; batch += 1) {
    for (let n = 0; n < 1_000; n += 1) enter(`${batch}-${n}`, 1);
    await pass(0);
  }
  expect(Math.max(...reserved.map(({ length }) => length))).toBe(100);
  reserved.length = 0;
  // The first one is forgotten, so its slots are too.
  enter('0-0', 1);
  await pass(0);
  expect(reserved).toEqual([[['0-0', 1, false]]]);
});

it('slots that were reserved before a closing are not used after it', async () => {
  enter('a', 1);
  await pass(0);
  const late = enter('a', 2);
  // The call has begun, and its answer has not arrived.
  await Promise.resolve();
  answer = () => ({ granted: 0, wait_ms: 5_000, is_closed: true });
  gate.answered('a', 503, undefined);
  await pass(1_000);
  expect([reserved.length, late]).toEqual([3, []]);
});

it('requests of the run before do not enter in the next run', async () => {
  const old = enter('a', 2);
  gate.start();
  await pass(1_000);
  expect(old).toEqual([]);
  expect(enter('__proto__', 1)).toEqual([]);
  gate.stop();
  expect(gate.enter(new URL('http://a'))).toBeNull();
});

describe('robots.txt', () => {
  beforeEach(() => {
    rules.text = 'User-agent: *\nDisallow: /private';
    answer = (_domain, wanted) => ({ granted: wanted, robots: 'obey' });
  });

  it('is read once, and disallowed requests fail with the rule and the way to change that', async () => {
    const [open, closed] = [enter('a', 2), enter('a', 1, '/private/1')];
    await pass(1_000);
    expect([loaded, open]).toEqual([['http://a'], ['a0', 'a1']]);
    expect(closed[0]).toContain(
      'robots.txt of a disallows /private/1: line 2, Disallow: /private. To send such requests',
    );
    expect(enter('a', 1, '/private')).toEqual([]);
    expect(loaded).toHaveLength(1);
  });

  it('its request takes a slot, too', async () => {
    answer = () => ({ granted: 1, start_ms: 1_000, robots: 'obey' });
    const first = enter('a', 1);
    await pass(1_500);
    expect([loaded, first]).toEqual([['http://a'], []]);
    await pass(1_000);
    expect(first).toEqual(['a0']);
  });

  it('warn sends the request and names each rule once; ignore does not read it', async () => {
    answer = (_domain, wanted) => ({ granted: wanted, robots: 'warn' });
    const entered = enter('a', 3, '/private');
    await pass(1_000);
    expect(entered).toEqual(['a0', 'a1', 'a2']);
    expect(warned).toEqual(['robots.txt of a disallows requests of this run: line 2, Disallow: /private']);
    answer = (_domain, wanted) => ({ granted: wanted, robots: 'ignore' });
    const ignored = enter('b', 1, '/private');
    await pass(0);
    expect([ignored, loaded, reserved.at(-1)]).toEqual([['b0'], ['http://a'], [['b', 1, false]]]);
  });

  it('a crawl delay is told to the platform, and slots that were reserved before are not used', async () => {
    rules.text = 'User-agent: *\nCrawl-delay: 10';
    answer = () =>
      delays.length === 0
        ? { granted: 5, robots: 'obey' }
        : { granted: 1, start_ms: 10_000, robots: 'obey', crawl_delay_ms: 10_000 };
    const entered = enter('a', 1);
    await pass(5_000);
    expect([delays, entered]).toEqual([[['a', 10_000]], []]);
    expect(warned).toEqual([
      'robots.txt of a asks for 10 s between requests. All polite runs of your account obey it.',
    ]);
  });

  it('that cannot be read allows all, which the run tells', async () => {
    rules = { text: '', problem: 'it answered 500' };
    const entered = enter('a', 1, '/private');
    await pass(1_000);
    expect(entered).toEqual(['a0']);
    expect(warned).toEqual([
      'Trawl could not read robots.txt of a, so the run does without its rules: it answered 500.',
    ]);
  });
});

describe('requests in progress that are limited', () => {
  const LIMIT = 2;
  let places: number;
  /** Functions of the requests that have entered, in order. */
  let leaves: Leave[];

  beforeEach(() => {
    places = 0;
    leaves = [];
    answer = (_domain, wanted, holds) => {
      const granted = Math.min(wanted, LIMIT - holds);
      places = holds + granted;
      return { granted, wait_ms: wanted > 0 && granted === 0 ? 50 : 0, interval_ms: 0, is_limited: true };
    };
  });

  function enterLimited(count: number, path = '/'): void {
    for (let n = 0; n < count; n += 1) {
      gate
        .enter(new URL(`http://a${path}`))
        ?.then(leave => leave && leaves.push(leave))
        .catch(() => {});
    }
  }

  it('enter one for each that leaves, and the run gives places back when it needs none', async () => {
    enterLimited(2);
    await pass(500);
    expect([leaves.length, places, reserved.length]).toEqual([2, 2, 1]);
    enterLimited(2);
    await pass(500);
    expect([leaves.length, places]).toEqual([2, 2]);
    leaves[0]?.();
    await pass(0);
    expect(leaves).toHaveLength(3);
    // The place is that of another request now.
    leaves[0]?.();
    await pass(500);
    expect([leaves.length, places]).toEqual([3, 2]);
    for (const leave of leaves) leave();
    await pass(0);
    for (const leave of leaves) leave();
    await pass(500);
    expect([leaves.length, places]).toEqual([4, 0]);
    const calls = reserved.length;
    await pass(60_000);
    expect(reserved).toHaveLength(calls);
  });

  it('a run that sends one after another keeps its place, and reserves no slots ahead', async () => {
    for (let n = 0; n < 5; n += 1) {
      enterLimited(1);
      await pass(0);
      leaves[n]?.();
      await pass(5);
    }
    expect(reserved).toEqual([[['a', 1, false]], ...Array(4).fill([['a', 1, false, 0]])]);
    expect(places).toBe(1);
  });

  it('slots that no request uses are given back, and so is the place of robots.txt', async () => {
    rules.text = 'User-agent: *\nDisallow: /private';
    const granting = answer;
    answer = (...asked) => ({ ...granting(...asked), robots: 'obey' });
    enterLimited(3, '/private');
    await pass(0);
    expect(loaded).toEqual(['http://a']);
    await pass(100);
    expect([leaves.length, places]).toEqual([0, 0]);
  });

  it('those that entered before the limit was removed are given back, and later ones are not counted', async () => {
    enterLimited(2);
    await pass(0);
    answer = (_domain, wanted, holds) => {
      places = holds;
      return { granted: wanted, interval_ms: 0 };
    };
    enterLimited(1);
    await pass(0);
    expect([leaves.length, places]).toEqual([2, 2]);
    for (const leave of leaves) leave();
    await pass(100);
    expect(places).toBe(0);
    enter('a', 1);
    await pass(60_000);
    expect(reserved.at(-1)?.[0]).toHaveLength(3);
  });

  it('a closing gives back the slots that it drops', async () => {
    enterLimited(1);
    await pass(0);
    gate.answered('a', 429, undefined);
    leaves[0]?.();
    await pass(100);
    expect(places).toBe(0);
  });

  it('leaving after the end of the run calls nothing', async () => {
    enterLimited(2);
    await pass(0);
    gate.stop();
    for (const leave of leaves) leave();
    await pass(1_000);
    expect(reserved).toHaveLength(1);
  });
});

it.each([
  [60_000, 'its robots.txt asks for 60 s between requests'],
  [0, 'of its rate limit'],
])(
  'a run says once why its requests wait long, and for its time limit what they wait for',
  async (crawl_delay_ms, reason) => {
    answer = () => ({ granted: 1, start_ms: 59_000, robots: 'ignore', crawl_delay_ms });
    expect(gate.waits).toEqual([]);
    const entered = enter('a', 3);
    await pass(0);
    expect(warned).toEqual([`The next request to a waits 59 s, because ${reason}.`]);
    expect(gate.waits).toEqual(['the rate limit of a']);
    await pass(600_000);
    expect(entered).toHaveLength(3);
    expect(warned).toHaveLength(1);
    expect(gate.waits).toEqual([]);
  },
);
