import { type ClippedRow, clipRow } from './clip-row.js';

const EXAMPLE_BYTES = 800;
/** Rows that are chosen by chance. */
const MAX_RANDOM = 8;
/** Rows that show what few rows before them have shown, such as a field without a value. */
const MAX_TELLING = 10;
const MAX_REPEATED = 3;
/** The first rows are always telling. */
const FIRST_TELLING = 3;
/** About so many fields of a very wide row have room, so each example begins with others. */
const FIELDS_IN_TURN = 12;
/** Slots of 4 bytes for hashes. */
const SLOTS = 256;

/** How many more example rows a run may keep. */
export interface ExampleBudget {
  examples: number;
}

/** A row that may show a finding. */
export interface Example extends ClippedRow {
  isRepeated: boolean;
  /** Paths of fields without a value that it was chosen for. */
  empty: readonly string[];
}

interface Row {
  bytes: Buffer;
  from: number;
  to: number;
}

/** Keeps some rows of a run as examples, in bounded memory: any, those that show something new, and repeated ones. */
export class ExampleRows {
  readonly #random: Example[] = [];
  readonly #telling: Example[] = [];
  readonly #repeated: Example[] = [];
  /** Rows of the current call that were chosen by chance. Later ones may replace them before it is worth to copy them. */
  readonly #chosen = new Map<number, Row>();
  readonly #hashes = new Uint32Array(SLOTS).fill(0xffff_ffff);
  #read = 0;

  constructor(
    private readonly budget: ExampleBudget,
    private readonly nextRandom: () => number,
  ) {}

  get all(): readonly Example[] {
    this.endCall();
    // A slot stays free if the run may have no more examples.
    return [...this.#telling, ...Object.values(this.#random), ...this.#repeated];
  }

  /**
   * Notes each row, to know some of those that were there before: each slot has the least of its hashes, however many
   * rows come in between.
   */
  addHash(signed: number, row: Row): void {
    const hash = signed >>> 0;
    const slot = hash % SLOTS;
    const least = this.#hashes[slot] as number;
    if (hash < least) this.#hashes[slot] = hash;
    if (hash !== least || this.#repeated.length === MAX_REPEATED || !this.#mayAdd()) return;
    this.#repeated.push(exampleOf(row, this.#repeated.length, { isRepeated: true }));
  }

  /** @param news paths of fields that have no value in this row, as in few before it; null if nothing about it is new */
  addRead(row: Row, news: readonly string[] | null): void {
    if (news && this.#telling.length < MAX_TELLING && this.#mayAdd()) {
      this.#telling.push(exampleOf(row, this.#telling.length, { empty: news }));
      return;
    }
    // Each of the other rows is kept with the same chance.
    const index = this.#read < MAX_RANDOM ? this.#read : this.nextRandom() % (this.#read + 1);
    this.#read++;
    if (index >= MAX_RANDOM) return;
    const isFree = this.#random[index] === undefined && !this.#chosen.has(index);
    if (!isFree || this.#mayAdd()) this.#chosen.set(index, row);
  }

  /** Copies what it keeps of the rows. Call it before their bytes change or should be freed. */
  endCall(): void {
    for (const [index, row] of this.#chosen) this.#random[index] = exampleOf(row, FIRST_TELLING + index);
    this.#chosen.clear();
  }

  #mayAdd(): boolean {
    return this.budget.examples > 0 && this.budget.examples-- > 0;
  }
}

function exampleOf(
  { bytes, from, to }: Row,
  slot: number,
  { isRepeated = false, empty = [] as readonly string[] } = {},
) {
  const turn = slot * FIELDS_IN_TURN;
  return { ...clipRow(bytes, from, to, EXAMPLE_BYTES, { wanted: empty, turn }), isRepeated, empty };
}
