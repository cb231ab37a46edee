import type { FindingKind } from '@trawl/contracts';
import type { FieldSummary, ValueType } from '../profile/field-profile.js';
import { arcsine, deviationOf, shareNoise, shareOf } from './deviation.js';
import { BROKEN_SCORE, UNUSUAL_SCORE } from './scores.js';
import { amount, countOf, percent, percents, typeWords } from './sentences.js';
import type { Finding } from './verdict.js';

interface Place {
  target: string;
  path: string;
  /** The number of rows from which the figures come. */
  rows: number;
}

/** A fall of the filled share by this part of it is broken, if it is unlikely, too. */
const BROKEN_FALL = 0.15;
const UNUSUAL_FALL = 0.05;
/** Types of values that are not always the same change more. */
const BROKEN_TYPE = 0.2;
/** The share of other values than the most frequent one is broken if it falls to this part. */
const BROKEN_VARIETY = 0.25;
/** Below this share of other values, there is little variety to lose. */
const MIN_VARIETY = 0.1;
const NUMBER = { broken: 5, unusual: 2 } as const;
const LENGTH = { broken: 4, unusual: 2 } as const;
/** Medians of numbers and lengths change by this part without a reason. */
const MEDIAN_NOISE = 0.05;
const [LOW, MIDDLE, HIGH] = [0, 1, 2] as const;
/** The 5 % and 95 % quantiles are so many standard deviations apart. */
const QUANTILES_APART = 3.29;

/** Judges one field. `null` is a run without the field. */
export function judgeField(place: Place, now: FieldSummary | null, history: (FieldSummary | null)[]): Finding[] {
  const isFilled = filled(place, now, history);
  if (!now || now.filled === 0) return isFilled;
  const known = history.filter(summary => summary !== null && summary.filled > 0) as FieldSummary[];
  if (known.length < 3) return isFilled;
  const values = place.rows * now.filled;
  const ofType = type(place, now, known, values);
  const others = ofType.length > 0 ? [] : [...variety(place, now, known, values), ...sizes(place, now, known, values)];
  return [...isFilled, ...ofType, ...others];
}

function filled(place: Place, now: FieldSummary | null, history: (FieldSummary | null)[]): Finding[] {
  const shares = history.map(summary => summary?.filled ?? 0);
  const share = now?.filled ?? 0;
  const { usual, score, hasHappened } = deviationOf(arcsine(share), shares.map(arcsine), shareNoise(place.rows));
  const was = shareOf(usual);
  const [usually, is] = percents(was, share);
  const text = `${place.path} was filled in ${usually} of rows, now in ${is}.`;
  const isLarge = (least: number) => share <= was * (1 - least) && was - share >= UNUSUAL_FALL;
  if (-score >= BROKEN_SCORE && isLarge(BROKEN_FALL)) {
    return [finding(place, 'filled', { level: levelOf(hasHappened), was, now: share, text })];
  }
  if (-score < UNUSUAL_SCORE || !isLarge(UNUSUAL_FALL)) return [];
  return [finding(place, 'filled', { level: 'unusual', was, now: share, text })];
}

function type(place: Place, now: FieldSummary, known: FieldSummary[], values: number): Finding[] {
  const usualType = mainType(known);
  const shares = known.map(({ types }) => arcsine(types[usualType] ?? 0));
  const share = now.types[usualType] ?? 0;
  const { usual, score, hasHappened } = deviationOf(arcsine(share), shares, shareNoise(values));
  const was = shareOf(usual);
  if (-score < BROKEN_SCORE || was - share < BROKEN_TYPE) return [];
  const text = `${place.path} was ${typeWords(usualType)} in ${percent(was)} of its values, now in ${percent(share)}.`;
  return [{ ...finding(place, 'type', { level: levelOf(hasHappened), was, now: share, text }), usualType }];
}

function mainType(known: FieldSummary[]): ValueType {
  const sums = new Map<ValueType, number>();
  for (const { types } of known) {
    for (const [name, share] of Object.entries(types)) {
      sums.set(name as ValueType, (sums.get(name as ValueType) ?? 0) + share);
    }
  }
  return [...sums].sort(([, a], [, b]) => b - a)[0]?.[0] ?? 'other';
}

function variety(place: Place, now: FieldSummary, known: FieldSummary[], values: number): Finding[] {
  const tops = known.flatMap(({ top }) => (top === undefined ? [] : [top]));
  if (now.top === undefined || tops.length < 3) return [];
  const { usual, score, hasHappened } = deviationOf(arcsine(now.top), tops.map(arcsine), shareNoise(values));
  const was = shareOf(usual);
  const isLost = 1 - was >= MIN_VARIETY && 1 - now.top <= BROKEN_VARIETY * (1 - was);
  if (score < BROKEN_SCORE || !isLost) return [];
  const text = `The most frequent value of ${place.path} was about ${percent(was)} of its values, now ${percent(now.top)}.`;
  return [finding(place, 'variety', { level: levelOf(hasHappened), was, now: now.top, text })];
}

function sizes(place: Place, now: FieldSummary, known: FieldSummary[], values: number): Finding[] {
  const ofNumbers = size(
    now.numbers,
    known.map(({ numbers }) => numbers),
    values,
  );
  const ofLengths = size(
    now.lengths,
    known.map(({ lengths }) => lengths),
    values,
  );
  return [
    ...sizeFinding(place, 'number', ofNumbers, NUMBER, (was, is) =>
      ofNumbers?.isMiddle
        ? `The numbers in ${place.path} were about ${was}, now ${is}.`
        : `95 % of the numbers in ${place.path} were below about ${was}, now ${is}.`,
    ),
    ...sizeFinding(
      place,
      'length',
      ofLengths,
      LENGTH,
      (was, is) => `The texts in ${place.path} were about ${countOf(Number(was), 'byte')} long, now ${is}.`,
    ),
  ];
}

interface Size {
  was: number;
  now: number;
  score: number;
  hasHappened: boolean;
  /** Whether the sizes are those in the middle, not those of the largest numbers. */
  isMiddle: boolean;
}

/** Compares quantiles on the scale of logarithms. Null if they cannot be compared so. */
function size(now: number[] | undefined, history: (number[] | undefined)[], values: number): Size | null {
  const known = history.filter(quantiles => quantiles !== undefined);
  if (!now || known.length < 3) return null;
  // Numbers around 0, such as longitudes, show their size only in the largest ones.
  const all = [...known, now];
  const isMiddle = all.every(([low = 0]) => low > 0) || all.every(quantiles => (quantiles[HIGH] ?? 0) < 0);
  const which = isMiddle ? MIDDLE : HIGH;
  const logOf = (quantiles: number[]) => Math.log(Math.abs(quantiles[which] ?? 0));
  const logs = known.map(logOf);
  if (![logOf(now), ...logs].every(Number.isFinite)) return null;
  const [low, high] = [Math.abs(now[LOW] ?? 0), Math.abs(now[HIGH] ?? 0)];
  const width = low > 0 && high > 0 ? Math.abs(Math.log(high / low)) / QUANTILES_APART : 1;
  const noise = Math.hypot(MEDIAN_NOISE, (1.25 * width) / Math.sqrt(Math.max(1, values)));
  const { usual, score, hasHappened } = deviationOf(logOf(now), logs, noise);
  const sign = Math.sign(known.at(-1)?.[which] ?? 0);
  return { was: sign * Math.exp(usual), now: now[which] ?? 0, score, hasHappened, isMiddle };
}

function sizeFinding(
  place: Place,
  what: FindingKind,
  compared: Size | null,
  { broken, unusual }: { broken: number; unusual: number },
  textOf: (was: string, now: string) => string,
): Finding[] {
  if (!compared) return [];
  const { was, now, score, hasHappened } = compared;
  const factor = Math.max(Math.abs(now / was), Math.abs(was / now));
  const [before, after] = what === 'length' ? [Math.round(was), Math.round(now)] : [was, now];
  const text = textOf(amount(before), amount(after));
  if (Math.abs(score) >= BROKEN_SCORE && factor >= broken) {
    return [finding(place, what, { level: levelOf(hasHappened), was, now, text })];
  }
  return Math.abs(score) >= UNUSUAL_SCORE && factor >= unusual
    ? [finding(place, what, { level: 'unusual', was, now, text })]
    : [];
}

const levelOf = (hasHappened: boolean): Finding['level'] => (hasHappened ? 'unusual' : 'broken');

const finding = (
  { target, path }: Place,
  what: FindingKind,
  rest: Pick<Finding, 'level' | 'was' | 'now' | 'text'>,
): Finding => ({ target, field: path, what, ...rest });
