/** Deterministic random choices: the same seed builds the same shop on every machine. */
export interface Random {
  /** Returns an integer from `min` to `max`, both inclusive. */
  whole(min: number, max: number): number;
  /** Returns true with the probability `share`, from 0 to 1. */
  chance(share: number): boolean;
  pick<T>(from: readonly T[]): T;
}

/** Mulberry32, a small generator with 32 bits of state, good enough for this purpose. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  return {
    whole,
    chance: share => next() < share,
    pick: from => {
      const chosen = from[whole(0, from.length - 1)];
      if (chosen === undefined) throw new RangeError('pick() needs a list with at least one entry; the list is empty');
      return chosen;
    },
  };
}
