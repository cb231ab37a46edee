/** A row as plain JSON, such as the API returns it. */
export type Row = Readonly<Record<string, unknown>>;

export const ROW_DIFFERENCES = ['changed', 'added', 'gone'] as const;

/** A field of a changed row. A field without a value is null. */
export interface ChangedField {
  was: unknown;
  now: unknown;
}

/** A row that differs between two runs. */
export interface RowDifference {
  kind: (typeof ROW_DIFFERENCES)[number];
  /** JSON by which the row was found in both runs; null if rows have no key. */
  key: string | null;
  /** The fields that differ, by dotted path. Null for rows that are only in one run. */
  fields: Record<string, ChangedField> | null;
  /** The row of the later run, or of the earlier one if it is gone. */
  row: Row;
}

/** Longer values of a difference become text that is cut. */
const MAX_VALUE_CHARS = 1_000;
/** The same for names and paths. An object at a longer path is compared as a whole, because each path repeats the names of all objects around it. */
const MAX_PATH_CHARS = 500;
/** Fields of a difference, and of its row. */
const MAX_SHOWN_FIELDS = 50;

const isObject = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Says whether values that are no objects, of an earlier and of a later run, count as equal. */
export type AreSame = (was: unknown, now: unknown) => boolean;

/** Says whether two JSON values are equal. The order of fields does not matter. */
export function areEqual(one: unknown, other: unknown, areSame: AreSame = Object.is): boolean {
  if (one === other || areSame(one, other)) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => areEqual(item, other[index], areSame));
  }
  if (!isObject(one) || !isObject(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every(name => Object.hasOwn(other, name) && areEqual(one[name], other[name], areSame))
  );
}

/**
 * Returns whether fields in the object of this name may have the same path as one of the other names: with the names `a`
 * and `a.b`, the path `a.b` could be two fields. Then the object is one value.
 */
export function namesWithSharedPaths(names: Iterable<string>): (name: string) => boolean {
  const dotted = [...names].filter(name => name.includes('.'));
  return name => dotted.some(other => other.startsWith(`${name}.`));
}

/**
 * Returns the fields that differ, by dotted path. It looks into objects, but compares arrays as a whole. Null is no value.
 *
 * @param prefix path of the two objects with a dot behind it; empty for whole rows
 */
export function changedFields(
  was: Row,
  now: Row,
  areSame?: AreSame,
  prefix = '',
): [path: string, field: ChangedField][] {
  const names = new Set([...Object.keys(was), ...Object.keys(now)]);
  const shareTheirPaths = namesWithSharedPaths(names);
  return [...names].flatMap((name): [string, ChangedField][] => {
    const [before, after] = [valueAt(was, name), valueAt(now, name)];
    const path = prefix + name;
    const isOwnPath = path.length <= MAX_PATH_CHARS && !shareTheirPaths(name);
    if (isOwnPath && isObject(before) && isObject(after)) return changedFields(before, after, areSame, `${path}.`);
    return areEqual(before, after, areSame) ? [] : [[path, { was: before, now: after }]];
  });
}

/** A field may be named `__proto__`. */
const valueAt = (row: Row, name: string): unknown => (Object.hasOwn(row, name) ? (row[name] ?? null) : null);

/** Returns a difference whose size has a limit, because a row may have megabytes. */
export function shownDifference(
  kind: RowDifference['kind'],
  key: string | null,
  row: Row,
  changed: [path: string, field: ChangedField][] | null,
): RowDifference {
  const fields = changed && shownFields(changed, ({ was, now }) => ({ was: shownValue(was), now: shownValue(now) }));
  return { kind, key, fields, row: shownFields(Object.entries(row), shownValue) };
}

const shownFields = <From, To>(fields: [string, From][], shown: (value: From) => To): Record<string, To> =>
  Object.fromEntries(fields.slice(0, MAX_SHOWN_FIELDS).map(([name, value]) => [shownPath(name), shown(value)]));

/** Returns the path of a field, cut if it is long. */
export const shownPath = (path: string): string =>
  path.length <= MAX_PATH_CHARS ? path : `${path.slice(0, MAX_PATH_CHARS)}…`;

function shownValue(value: unknown): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text === undefined || text.length <= MAX_VALUE_CHARS ? value : `${text.slice(0, MAX_VALUE_CHARS)}…`;
}
