/**
 * Gives each visible line a row. A line keeps its row as long as it is visible, so that what the user has opened in it stays
 * open.
 */
export class RowSlots {
  /** The row of each visible line, in the order of the lines. */
  private rows = new Map<number, number>();
  private made = 0;

  /** Returns the row of each line. With `reuse`, new lines get the rows of those that are gone, instead of new rows. */
  take(keys: readonly number[], reuse: boolean): ReadonlyMap<number, number> {
    const visible = new Set(keys);
    // In the order of the lines. If all lines are new, each row stays in its place.
    const free = reuse ? [...this.rows].flatMap(([key, row]) => (visible.has(key) ? [] : [row])) : [];
    this.rows = new Map(keys.map(key => [key, this.rows.get(key) ?? free.shift() ?? this.made++]));
    return this.rows;
  }
}
