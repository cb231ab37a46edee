import { isTimeOf, type RunTime } from './own-times.js';
import {
  type AreSame,
  areEqual,
  changedFields,
  type Row,
  type RowDifference,
  shownDifference,
  shownPath,
} from './row-differences.js';

/**
 * How the rows of two runs find each other. `key`: all rows have a key of `dataset.push`. `field`: the values of a field
 * tell them apart. `row`: neither.
 */
export const ROW_MATCHES = ['key', 'field', 'row'] as const;

export interface RowComparison {
  /** Numbers of rows. */
  equal: number;
  changed: number;
  added: number;
  gone: number;
  matched_by: (typeof ROW_MATCHES)[number];
  /** Name of the field if `matched_by` is `field`, otherwise null. */
  match_field: string | null;
  /** In how many changed rows each field differs, the most frequent first. */
  fields: { field: string; rows: number }[];
  /** Changed rows, then added ones, then those that are gone; only the first of each kind. */
  items: RowDifference[];
}

/** Limits for the items of each kind: their number, and the characters of their JSON. */
const MAX_ITEMS = 300;
const MAX_ITEM_CHARS = 500_000;
/** Fields that a comparison counts. */
const MAX_FIELDS = 200;
/** Fields of a row that may take the place of a key. */
const MAX_KEY_FIELDS = 50;

interface ReadRow {
  key: string | null;
  /** The row without the fields of the platform. */
  fields: Row;
}

/** When the two runs ran. */
export interface RunTimes {
  was: RunTime;
  now: RunTime;
}

/** A row that only one run has, or that both have. */
interface Match {
  key: string | null;
  was: ReadRow | null;
  now: ReadRow | null;
}

/**
 * Compares the rows of two runs.
 *
 * Rows with the same key are the same row. If rows have no keys, a field takes their place: its texts or numbers are all
 * different in each run, and at least half of them are in both. Without such a field, equal rows find each other in any
 * order. The other rows are compared one by one, in order: two of them are the same row if at least half of their fields
 * are equal.
 *
 * With `times`, a time at which the earlier run ran equals any time at which the later one ran.
 *
 * It holds all rows in memory, so callers limit their number. The size of the result has a limit.
 */
export function compareRows(was: readonly Row[], now: readonly Row[], times?: RunTimes): RowComparison {
  const [before, after] = [was.map(readRow), now.map(readRow)];
  const areSame: AreSame = (one, other) =>
    times !== undefined && isTimeOf(times.was, one) && isTimeOf(times.now, other);
  const count = (matches: Match[]) => countMatches(matches, areSame);
  const keyed = before.length + after.length > 0 && matchByKey(before, after, ({ key }) => key);
  if (keyed) return { ...count(keyed), matched_by: 'key', match_field: null };
  const { field, matches } = matchByField(before, after);
  if (matches) return { ...count(matches), matched_by: 'field', match_field: field };
  return { ...count(matchByContent(before, after, areSame, times)), matched_by: 'row', match_field: null };
}

/** Takes away the fields that the platform sets, because they differ between any two runs. */
function readRow({ _id, _run, _at, _key, _first, _attempt, _partial, ...fields }: Row): ReadRow {
  return { key: typeof _key === 'string' ? _key : null, fields };
}

/** Returns null unless each row has a key that no other row of its run has. */
function matchByKey(was: ReadRow[], now: ReadRow[], keyOf: (row: ReadRow) => string | null): Match[] | null {
  const before = rowsByKey(was, keyOf);
  const after = before && rowsByKey(now, keyOf);
  if (!before || !after) return null;
  return [...new Set([...before.keys(), ...after.keys()])].map(key => ({
    key,
    was: before.get(key) ?? null,
    now: after.get(key) ?? null,
  }));
}

function rowsByKey(rows: ReadRow[], keyOf: (row: ReadRow) => string | null): Map<string, ReadRow> | null {
  const byKey = new Map<string, ReadRow>();
  for (const row of rows) {
    const key = keyOf(row);
    if (key === null || byKey.has(key)) return null;
    byKey.set(key, row);
  }
  return byKey;
}

/** Matches rows by the field that most of them have in common. If several are as good, the first of a row is used. */
function matchByField(was: ReadRow[], now: ReadRow[]): { field: string | null; matches: Match[] | null } {
  let best: { field: string | null; matches: Match[] | null } = { field: null, matches: null };
  let most = Math.max(1, Math.min(was.length, now.length) / 2) - 0.5;
  for (const field of Object.keys(now[0]?.fields ?? {}).slice(0, MAX_KEY_FIELDS)) {
    const matches = matchByKey(was, now, ({ fields }) => keyText(fields, field));
    const common = matches ? was.length + now.length - matches.length : 0;
    if (matches && common > most) {
      best = { field, matches };
      most = common;
    }
  }
  return best;
}

/** Returns the JSON of a field that can take the place of a key: a text that is not empty, or a number. */
function keyText(fields: Row, field: string): string | null {
  const value = Object.hasOwn(fields, field) ? fields[field] : null;
  return typeof value === 'number' || (typeof value === 'string' && value !== '') ? JSON.stringify(value) : null;
}

function matchByContent(was: ReadRow[], now: ReadRow[], areSame: AreSame, times?: RunTimes): Match[] {
  const left = new Set(was);
  const found = new Map<ReadRow, ReadRow>();
  for (const time of times ? [undefined, times] : [undefined]) {
    const byText = new Map<string, ReadRow[]>();
    for (const row of [...left].reverse()) {
      const text = sortedJson(row.fields, time?.was);
      const same = byText.get(text);
      if (same) same.push(row);
      else byText.set(text, [row]);
    }
    for (const row of now) {
      const other = found.has(row) ? undefined : byText.get(sortedJson(row.fields, time?.now))?.pop();
      if (!other) continue;
      found.set(row, other);
      left.delete(other);
    }
  }
  const equal = now.map((row): Match => ({ key: null, was: found.get(row) ?? null, now: row }));
  const others = [...left];
  let position = 0;
  const matches = equal.flatMap((match): Match[] => {
    if (match.was) return [match];
    const other = others[position++] ?? null;
    if (!other || (match.now && areAlike(other.fields, match.now.fields, areSame))) return [{ ...match, was: other }];
    return [match, { key: null, was: other, now: null }];
  });
  return [...matches, ...others.slice(position).map((row): Match => ({ key: null, was: row, now: null }))];
}

/** Returns JSON that does not depend on the order of fields. All times at which the run ran are the same text. */
function sortedJson(value: unknown, time?: RunTime): string {
  if (time && isTimeOf(time, value)) return 'time';
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(item => sortedJson(item, time)).join()}]`;
  const fields = value as Row;
  const names = Object.keys(fields).sort();
  return `{${names.map(name => `${JSON.stringify(name)}:${sortedJson(fields[name], time)}`).join()}}`;
}

function areAlike(one: Row, other: Row, areSame: AreSame): boolean {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  const equal = [...names].filter(
    name => Object.hasOwn(one, name) && Object.hasOwn(other, name) && areEqual(one[name], other[name], areSame),
  );
  return equal.length * 2 >= names.size;
}

function countMatches(matches: Match[], areSame: AreSame): Omit<RowComparison, 'matched_by' | 'match_field'> {
  const counts = { equal: 0, changed: 0, added: 0, gone: 0 };
  const fields = new Map<string, number>();
  const lists = { changed: new ItemList(), added: new ItemList(), gone: new ItemList() };
  for (const { key, was, now } of matches) {
    if (was && now) {
      const changed = changedFields(was.fields, now.fields, areSame);
      if (changed.length === 0) {
        counts.equal += 1;
        continue;
      }
      counts.changed += 1;
      for (const [longPath] of changed) {
        const path = shownPath(longPath);
        if (fields.has(path) || fields.size < MAX_FIELDS) fields.set(path, (fields.get(path) ?? 0) + 1);
      }
      lists.changed.add(() => shownDifference('changed', key, now.fields, changed));
    } else {
      const kind = now ? 'added' : 'gone';
      counts[kind] += 1;
      lists[kind].add(() => shownDifference(kind, key, (now ?? was)?.fields ?? {}, null));
    }
  }
  return {
    ...counts,
    fields: [...fields].map(([field, rows]) => ({ field, rows })).sort((one, other) => other.rows - one.rows),
    items: [...lists.changed.items, ...lists.added.items, ...lists.gone.items],
  };
}

/** The first differences of a kind, up to a limit. */
class ItemList {
  readonly items: RowDifference[] = [];
  #chars = 0;

  add(make: () => RowDifference): void {
    if (this.items.length >= MAX_ITEMS || this.#chars >= MAX_ITEM_CHARS) return;
    const item = make();
    this.#chars += JSON.stringify(item).length;
    this.items.push(item);
  }
}
