type Fields = Record<string, unknown>;

/** Arguments of a call that changes documents. */
interface Change {
  filter?: Fields;
  update?: Fields | Fields[];
  replacement?: Fields;
}

/**
 * Returns the row that `updateOne`, `updateMany` or `replaceOne` sends, to compare it with that of another run. Returns null
 * for other calls.
 *
 * The row has the fields of the filter, and those that the call sets. Each other operator is a field, such as `$inc`. If the
 * call sets a field of the filter to another value, `$filter` has the value of the filter.
 */
export function rowOfChange({ filter = {}, update, replacement }: Change): Fields | null {
  const change = replacement ?? (update && fieldsOf(update));
  if (!change) return null;
  const replaced = Object.entries(filter).filter(
    ([name, value]) => Object.hasOwn(change, name) && JSON.stringify(value) !== JSON.stringify(change[name]),
  );
  return { ...filter, ...change, ...(replaced.length > 0 && { $filter: Object.fromEntries(replaced) }) };
}

function fieldsOf(update: Fields | Fields[]): Fields {
  if (Array.isArray(update)) return { $pipeline: update };
  const { $set, ...operators } = update;
  return { ...operators, ...($set as Fields | undefined) };
}
