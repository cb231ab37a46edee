/** How far a figure of a run is from those of the runs before it. */
export interface Deviation {
  /** The usual figure: the median of the latest runs. */
  usual: number;
  /** How many standard deviations the figure is away, with its sign. */
  score: number;
  /** Whether the earlier runs have changed as much from one to the next. */
  hasHappened: boolean;
}

/** Number of the latest runs that tell what is usual, so that a slow drift stays usual. */
const LATEST = 5;
/** A median absolute deviation is this part of a standard deviation. */
const MAD = 1 / 1.4826;

/**
 * Compares a figure with those of earlier runs. Their spread is the median absolute change from one run to the next, which
 * neither a drift nor a single outlier makes larger. The score is that of Student's t, because few runs say little about
 * their spread.
 *
 * @param earlier the oldest first, at least 3
 * @param noise standard deviation that the figure has by chance, as it comes from a limited number of rows
 */
export function deviationOf(now: number, earlier: number[], noise: number): Deviation {
  const latest = earlier.slice(-LATEST);
  const usual = median(latest);
  const changes = earlier.slice(1).map((value, index) => Math.abs(value - (earlier[index] as number)));
  const spread = median(changes) / MAD / Math.SQRT2;
  const variance = spread ** 2 + noise ** 2;
  const error = Math.sqrt(variance * (1 + 1 / latest.length)) || Number.MIN_VALUE;
  const t = (now - usual) / error;
  // Only the part of the variance that comes from the runs is uncertain (Satterthwaite).
  const freedom = spread === 0 ? Number.POSITIVE_INFINITY : ((earlier.length - 1) * variance ** 2) / spread ** 4;
  return { usual, score: normalScore(t, freedom), hasHappened: Math.max(...changes) >= Math.abs(now - usual) };
}

/** Returns the score of the normal distribution that is as unlikely as `t` (Wallace's approximation). */
function normalScore(t: number, freedom: number): number {
  if (freedom > 1e6) return t;
  const factor = (8 * freedom + 1) / (8 * freedom + 3);
  return Math.sign(t) * factor * Math.sqrt(freedom * Math.log1p(t ** 2 / freedom));
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}

/** The scale on which shares spread evenly. */
export const arcsine = (share: number): number => Math.asin(Math.sqrt(Math.min(1, Math.max(0, share))));

/** The share of a figure on the arcsine scale. */
export const shareOf = (angle: number): number => Math.sin(angle) ** 2;

/** The standard deviation, on the arcsine scale, of a share in so many rows. */
export const shareNoise = (rows: number): number => 1 / (2 * Math.sqrt(Math.max(1, rows)));
