import type { RowContract } from '@trawl/contracts';
import type { FieldSummary } from '../profile/field-profile.js';
import type { TargetSummary } from '../profile/row-profile.js';
import { MAX_REASONS, type RunProfile } from '../profile/run-profile.js';
import { judgeBlocked } from './judge-blocked.js';
import { judgeContract } from './judge-contract.js';
import { judgeField } from './judge-field.js';
import { judgeRows } from './judge-rows.js';
import type { Finding, Verdict } from './verdict.js';

/** Fewer earlier runs do not tell what is usual. */
export const MIN_EARLIER = 3;
/** More earlier runs are not read. */
export const MAX_EARLIER = 30;
const MAX_FINDINGS = 20;

/** The same target or field in several runs: null in a run without it. */
type History<Summary> = (Summary | null)[];

/**
 * Judges what a run has stored: by the contract of its skript, and beside what earlier good runs have stored.
 *
 * @param earlier the oldest first
 */
export function judge(now: RunProfile, earlier: RunProfile[], contract: RowContract | null = null): Verdict {
  const compared = compare(now, earlier);
  const ofContract = contract ? judgeContract(contract, now) : [];
  const isTold = ({ target, field, what }: Finding) =>
    ofContract.some(other => other.target === target && other.field === field && other.what === what);
  const others = compared.findings.filter(finding => !isTold(finding));
  const findings = [...ofContract, ...others, ...judgeBlocked(now, earlier)];
  if (findings.length === 0) return compared;
  findings.sort((a, b) => Number(b.level === 'broken') - Number(a.level === 'broken'));
  return { level: findings[0]?.level ?? 'ok', reason: null, findings: findings.slice(0, MAX_FINDINGS).map(rounded) };
}

/** Shares that come from angles are inexact in the last digits. */
const rounded = (finding: Finding): Finding => ({
  ...finding,
  was: Number(finding.was.toPrecision(10)),
  now: Number(finding.now.toPrecision(10)),
});

/** Compares what a run has stored with what earlier good runs have. */
function compare(now: RunProfile, earlier: RunProfile[]): Verdict {
  if (earlier.length < MIN_EARLIER) {
    const needed = `A verdict needs ${MIN_EARLIER} earlier good runs of this skript with the same input`;
    return unjudged(`${needed}; there are ${earlier.length}.`);
  }
  const names = new Set([now, ...earlier].flatMap(({ targets }) => targets.map(({ target }) => target)));
  const judged = [...names].flatMap(name => {
    const comparable = earlier.filter(run => !isSkipped(run, name));
    return isSkipped(now, name) || comparable.length < MIN_EARLIER ? [] : [{ name, comparable }];
  });
  if (judged.length === 0 && now.skipped.length > 0)
    return unjudged(
      now.skipped
        .slice(0, MAX_REASONS)
        .map(({ reason }) => reason)
        .join(' '),
    );
  if (judged.length === 0 && earlier.some(({ skipped }) => skipped.length > 0)) {
    return unjudged(`A verdict needs ${MIN_EARLIER} earlier good runs whose rows Trawl has read; there are fewer.`);
  }
  const findings = judged.flatMap(({ name, comparable }) => {
    const of = ({ targets }: RunProfile) => targets.find(({ target }) => target === name) ?? null;
    return judgeTarget(name, of(now), comparable.map(of));
  });
  return { level: 'ok', reason: null, findings };
}

/** Whether the profile of a run lacks rows that it has added to a target. */
const isSkipped = ({ skipped }: RunProfile, name: string): boolean =>
  skipped.some(({ target, rows }) => target === name && rows !== 0);

const unjudged = (reason: string): Verdict => ({ level: 'new', reason, findings: [] });

function judgeTarget(target: string, now: TargetSummary | null, earlier: History<TargetSummary>): Finding[] {
  const ofRows = judgeRows(target, now, earlier);
  const withRows = earlier.filter(summary => summary !== null && summary.rows > 0) as TargetSummary[];
  if (!now || now.rows === 0 || withRows.length < MIN_EARLIER) return ofRows;
  const fields = new Map<string, History<FieldSummary>>();
  for (const [index, { fields: ofRun }] of withRows.entries()) {
    for (const field of ofRun) {
      const history = fields.get(field.path) ?? withRows.map(() => null);
      history[index] = field;
      fields.set(field.path, history);
    }
  }
  const ofNow = new Map(now.fields.map(field => [field.path, field]));
  const ofFields = [...fields].flatMap(([path, history]) => {
    const field = ofNow.get(path) ?? null;
    // The profile of a run with more fields than it holds does not tell whether the field was there.
    const isUnknown = [now, ...withRows].some(
      (summary, index) => summary.has_more_fields && !(index === 0 ? field : history[index - 1]),
    );
    if (isUnknown) return [];
    return judgeField({ target, path, rows: now.read ?? now.rows }, field, history);
  });
  return [...ofRows, ...ofFields];
}
