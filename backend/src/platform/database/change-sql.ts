/**
 * Returns a definition of an earlier migration with some parts replaced, so that a migration shows only what it changes.
 * Throws if a part is missing.
 */
export function changeSql(definition: string, changes: [part: string | RegExp, by: string][]): string {
  return changes.reduce((sql, [part, by]) => {
    // A function, because `$$` means `$` in a text.
    const changed = sql.replace(part, () => by);
    if (changed === sql) throw new Error(`The earlier definition does not contain ${part}.`);
    return changed;
  }, definition);
}
