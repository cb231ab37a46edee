const MAX_REFUSALS = 10;
const MAX_EXAMPLES = 3;

/** A reason why a schema refuses rows. */
export interface Refusal {
  keyword: string;
  /** Null for whole rows. */
  field: string | null;
  reason: string;
  rows: number;
  examples: object[];
}

/** Refusals by keyword and field, of one call or of a whole run. */
export class Refusals {
  readonly #found = new Map<string, Refusal>();

  get all(): Refusal[] {
    return [...this.#found.values()];
  }

  add(refusal: Refusal): void {
    const key = `${refusal.keyword} ${refusal.field}`;
    const known = this.#found.get(key);
    if (!known) {
      if (this.#found.size < MAX_REFUSALS) this.#found.set(key, refusal);
      return;
    }
    known.rows += refusal.rows;
    known.examples = [...known.examples, ...refusal.examples].slice(0, MAX_EXAMPLES);
  }
}
