/** How long the kernel remembers connections and datagrams of a run, at most: its longest timeout of closing ones. */
const REST_MS = 120_000;

/**
 * The slots that no process has. The slot that was freed last is taken first, because its network, cgroup and files exist
 * already: to create those of a new slot costs 20 ms. A slot whose last run has used the network rests, because the
 * kernel still counts the connections of that run. It is taken earlier only if no other slot is left.
 */
export class FreeSlots {
  readonly #free: number[];
  readonly #resting: { slotIndex: number; until: number }[] = [];

  constructor(size: number) {
    this.#free = Array.from({ length: size }, (_, slotIndex) => slotIndex);
  }

  get count(): number {
    return this.#free.length + this.#resting.length;
  }

  take(): number | undefined {
    const now = performance.now();
    while (this.#resting[0] && this.#resting[0].until <= now)
      this.add(this.#resting.shift()?.slotIndex as number, false);
    return this.#free.shift() ?? this.#resting.shift()?.slotIndex;
  }

  add(slotIndex: number, hasUsedNetwork: boolean): void {
    if (hasUsedNetwork) this.#resting.push({ slotIndex, until: performance.now() + REST_MS });
    else this.#free.unshift(slotIndex);
  }
}
