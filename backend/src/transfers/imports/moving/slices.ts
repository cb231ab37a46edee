/** Rows are checked and moved in slices of this many, so that no call to MongoDB takes long. */
const SLICE_ROWS = 2_000;

/** A range of row numbers: greater than the first and at most the second. */
export type Slice = readonly [from: number, to: number];

export function* slicesOf(from: number, last: number): Generator<Slice> {
  for (let at = from; at < last; at += SLICE_ROWS) yield [at, Math.min(last, at + SLICE_ROWS)];
}
