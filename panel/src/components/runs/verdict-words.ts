import type { Execution } from '../../api/entities.js';

/** The choices of a filter by verdict. */
export const LEVEL_CHOICES = [
  { value: 'broken', label: 'rows broken' },
  { value: 'unusual', label: 'rows unusual' },
  { value: 'ok', label: 'rows as usual' },
  { value: 'new', label: 'rows not judged' },
];

/** Returns the verdict on a run if its rows are unusual or broken, and the owner has not accepted them. */
export function openVerdict({ verdict }: Pick<Execution, 'verdict'>) {
  if (!verdict || verdict.accepted_at) return null;
  const { level, findings } = verdict;
  return level === 'unusual' || level === 'broken' ? { level, text: findings[0]?.text ?? '' } : null;
}
