import type { RunTarget } from '../run-targets.js';
import { Difference } from './run-head.js';

interface TargetChoiceProps {
  targets: readonly RunTarget[];
  chosen: RunTarget;
  onChange: (key: string) => void;
}

/** Choice among the collections and tables that a run has written to, each with its number of rows. */
export function TargetChoice({ targets, chosen, onChange }: TargetChoiceProps) {
  return (
    <fieldset className="targets">
      <legend className="visually-hidden">Where the rows are</legend>
      {targets.map(({ key, label, place, stored, difference }) => (
        <button key={key} type="button" aria-pressed={key === chosen.key} onClick={() => onChange(key)}>
          <span className="target-name" title={label}>
            {label}
          </span>
          <span className="target-count tabular">
            {stored.toLocaleString('en-GB')} <Difference of={difference} />
          </span>
          <span className="cell-sub">{place}</span>
        </button>
      ))}
    </fieldset>
  );
}

const COUNTS = ['inserted', 'updated', 'deleted'] as const;

/** Numbers of a target in words, such as `60 inserted, 3 updated`. */
export const countsText = (target: RunTarget): string =>
  COUNTS.filter(count => target[count] > 0)
    .map(count => `${target[count].toLocaleString('en-GB')} ${count}`)
    .join(', ') || 'nothing written';
