import type { LinePoint } from '../../../components/chart/line-plot.js';
import type { Item, ItemChange } from './items.js';

/** Fields that a choice of numbers offers. */
const MAX_FIELDS = 200;

/** Returns the dotted paths of the fields with a number in one of the items. */
export function numberFields(items: readonly Pick<Item, 'fields'>[]): string[] {
  const found = new Set<string>();
  const collect = (fields: object, prefix: string): void => {
    for (const [name, value] of Object.entries(fields)) {
      if (found.size >= MAX_FIELDS) return;
      if (typeof value === 'number') found.add(prefix + name);
      else if (typeof value === 'object' && value !== null && !Array.isArray(value))
        collect(value, `${prefix}${name}.`);
    }
  };
  for (const { fields } of items) collect(fields, '');
  return [...found];
}

/** Returns the value at a dotted path. */
const valueAt = (fields: Record<string, unknown>, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (isFields(value) ? value[name] : undefined), fields);

const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

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
  const values: { at: string; value: unknown }[] = [
    { at: item.first_seen, value: oldest ? oldest.was : valueAt(item.fields, field) },
    ...steps.map(({ at, now }) => ({ at, value: now })).reverse(),
    { at: item.last_seen, value: valueAt(item.fields, field) },
  ];
  return values.flatMap(({ at, value }) => (typeof value === 'number' ? [{ at, value }] : []));
}
