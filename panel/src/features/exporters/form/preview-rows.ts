export type Row = Record<string, unknown>;

const MAX_COLUMNS = 40;
const MAX_DEPTH = 5;

const isRecord = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Types that JSON lacks are objects such as `{ "$oid": … }`. They are one value, not fields. */
const isValue = (value: Row): boolean => Object.keys(value).some(key => key.startsWith('$'));

function addFields(row: Row, prefix: string, depth: number, found: Map<string, unknown>): void {
  for (const [key, value] of Object.entries(row)) {
    if (isRecord(value) && !isValue(value) && Object.keys(value).length > 0 && depth < MAX_DEPTH)
      addFields(value, `${prefix}${key}.`, depth + 1, found);
    else found.set(prefix + key, value);
  }
}

/** Returns the values of a row by dotted path, as the columns of a file have them. */
export function flattened(row: Row, flatten: boolean): Map<string, unknown> {
  if (!flatten) return new Map(Object.entries(row));
  const found = new Map<string, unknown>();
  addFields(row, '', 0, found);
  return found;
}

/** Returns the columns of a file: those that the user chose, or all of the rows in the order in which they appear. */
export function columnsOf(rows: readonly Map<string, unknown>[], chosen: readonly string[]): string[] {
  if (chosen.length > 0) return [...chosen];
  return [...new Set(rows.flatMap(row => [...row.keys()]))].slice(0, MAX_COLUMNS);
}
