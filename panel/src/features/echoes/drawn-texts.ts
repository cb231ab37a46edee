/**
 * Reads the texts that `echo.progress` and `echo.table` of `@trawl/echo` send.
 * See docs/decisions/0119-questions-progress-and-tables-are-text.md.
 */

export interface ProgressValue {
  label: string;
  done: number;
  total: number;
}

export interface TableValue {
  names: string[];
  rows: string[][];
  /** Says how many rows are missing; empty if none are. */
  note: string;
}

const PROGRESS = /^(?:(?<label>[\s\S]*): )?(?<done>\d+(?:\.\d+)?) of (?<total>\d+(?:\.\d+)?)$/;
const RULE = /^─+(?:─┼─+)*$/;
const NOTE = /^… and \d+ more rows$/;

/** Returns null for other text, such as progress without a total. */
export function parseProgress(text: string): ProgressValue | null {
  const { label = '', done, total } = PROGRESS.exec(text)?.groups ?? {};
  return Number(total) > 0 ? { label, done: Number(done), total: Number(total) } : null;
}

/** Returns null for text that is not a table. */
export function parseTable(text: string): TableValue | null {
  const [header = '', rule = '', ...lines] = text.split('\n');
  if (!RULE.test(rule)) return null;
  const names = cellsOf(header);
  const note = NOTE.test(lines.at(-1) ?? '') ? (lines.pop() ?? '') : '';
  return { names, rows: lines.map(cellsOf), note };
}

const cellsOf = (line: string): string[] => line.split('│').map(cell => cell.trim());
