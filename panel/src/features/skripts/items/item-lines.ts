import type { LinePoint } from '../../../components/chart/line-plot.js';
import type { Item, ItemChange } from './items.js';

/** Fields that a choice of numbers offers. */
const MAX_FIELDS = 200;

/** Calls `found` with each number of an item and its dotted path. The name of a field may have dots itself. */
function visitNumbers(fields: object, found: (path: string, value: number) => void, prefix = ''): void {
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'number') found(prefix + name, value);
    else if (typeof value === 'object' && value !== null && !Array.isArray(value))
      visitNumbers(value, found, `${prefix}${name}.`);
  }
}

/** Returns the dotted paths of the fields with a number in one of the items. */
export function numberFields(items: readonly Pick<Item, 'fields'>[]): string[] {
  const found = new Set<string>();
  for (const { fields } of items) visitNumbers(fields, path => found.size < MAX_FIELDS && found.add(path));
  return [...found];
}

/**
 * Returns the numbers that a field of an item had over time. Between two changes it keeps its value.
 *
 * @param changes of the field, the newest first
 */
export function lineOf(item: Item, field: string, changes: readonly ItemChange[]): LinePoint[] {
  const steps = changes.flatMap(({ at, fields }) => {
    const change = fields?.[field];
    return change ? [{ at, ...change }] : [];
  });
  const oldest = steps.at(-1);
  let latest: unknown;
  visitNumbers(item.fields, (path, value) => {
    if (path === field) latest = value;
  });
  const values: { at: string; value: unknown }[] = [
    { at: item.first_seen, value: oldest ? oldest.was : latest },
    ...steps.map(({ at, now }) => ({ at, value: now })).reverse(),
    { at: item.last_seen, value: latest },
  ];
  return values.flatMap(({ at, value }) => (typeof value === 'number' ? [{ at, value }] : []));
}
