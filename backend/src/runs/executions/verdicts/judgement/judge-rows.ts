import type { TargetSummary } from '../profile/row-profile.js';
import { arcsine, deviationOf, shareNoise, shareOf } from './deviation.js';
import { BROKEN_SCORE, UNUSUAL_SCORE } from './scores.js';
import { countOf, percent, placeOf } from './sentences.js';
import type { Finding } from './verdict.js';

/** Numbers of rows change by this part from day to day without a reason. */
const COUNT_NOISE = 0.07;
/** A fall to less than this share of the usual number is broken, if it is unlikely, too. */
const BROKEN_FALL = 0.7;
const UNUSUAL_FALL = 0.9;
const UNUSUAL_RISE = 1.3;
/** A rise of the share of duplicates by this much is broken. */
const BROKEN_DUPLICATES = 0.2;

/** Judges the number of rows and of duplicates. `null` is a run that has not stored rows there. */
export function judgeRows(target: string, now: TargetSummary | null, earlier: (TargetSummary | null)[]): Finding[] {
  const rows = now?.rows ?? 0;
  const counts = earlier.map(summary => summary?.rows ?? 0);
  const findings = [numberOfRows(target, rows, counts)];
  const withRows = earlier.filter(summary => summary !== null && summary.rows > 0) as TargetSummary[];
  if (now && rows > 0 && withRows.length > 1) findings.push(duplicates(target, now, withRows));
  return findings.filter(finding => finding !== null);
}

function numberOfRows(target: string, rows: number, counts: number[]): Finding | null {
  const { usual, score, hasHappened } = deviationOf(Math.log1p(rows), counts.map(Math.log1p), COUNT_NOISE);
  const was = Math.round(Math.expm1(usual));
  const finding = (level: Finding['level']): Finding => ({
    level,
    target,
    field: null,
    what: 'rows',
    was,
    now: rows,
    text: `${placeOf(target)} usually gets ${countOf(was, 'row')} and got ${rows}.`,
  });
  if (rows === 0 && was > 0) return finding(counts.every(count => count > 0) ? 'broken' : 'unusual');
  if (-score >= BROKEN_SCORE && rows < BROKEN_FALL * was) return finding(hasHappened ? 'unusual' : 'broken');
  if (-score >= UNUSUAL_SCORE && rows < UNUSUAL_FALL * was) return finding('unusual');
  return score >= UNUSUAL_SCORE && rows > UNUSUAL_RISE * was ? finding('unusual') : null;
}

function duplicates(target: string, now: TargetSummary, earlier: TargetSummary[]): Finding | null {
  const angles = earlier.map(summary => arcsine(summary.duplicates));
  const { usual, score, hasHappened } = deviationOf(arcsine(now.duplicates), angles, shareNoise(now.rows));
  const was = shareOf(usual);
  if (score < BROKEN_SCORE || now.duplicates - was < BROKEN_DUPLICATES) return null;
  return {
    level: hasHappened ? 'unusual' : 'broken',
    target,
    field: null,
    what: 'duplicates',
    was,
    now: now.duplicates,
    text: `${percent(was)} of the rows were the same as an earlier row, now about ${percent(now.duplicates)}.`,
  };
}
