export interface DiffLine {
  kind: 'added' | 'removed' | 'same' | 'place';
  text: string;
}

const KINDS: Record<string, DiffLine['kind']> = { '+': 'added', '-': 'removed', '@': 'place' };

/** Splits the unified diff of a file into lines, without the two header lines. */
export function diffLines(diff: string): DiffLine[] {
  const begin = diff.indexOf('@@');
  if (begin === -1) return [];
  return diff
    .slice(begin)
    .replace(/\n$/, '')
    .split('\n')
    .map(line => ({ kind: KINDS[line.charAt(0)] ?? 'same', text: line }));
}
