import { inReadingOrder } from '../values/in-reading-order.js';

/** Returns a value as people read it: a text as it is, other values as JSON. */
export const valueText = (value: unknown): string =>
  inReadingOrder(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/**
 * Returns the key of a row as people read it: `{"sku":"B01"}` is B01, `{"page":2,"shop":"x"}` is page 2, shop x. A text
 * that is not JSON stays as it is.
 */
export function keyText(key: string): string {
  const parsed = parse(key);
  if (typeof parsed !== 'object' || parsed === null) return valueText(parsed);
  const parts = Object.entries(parsed);
  return parts
    .map(([name, value]) => (parts.length === 1 ? valueText(value) : `${name} ${valueText(value)}`))
    .join(', ');
}

function parse(key: string): unknown {
  try {
    return JSON.parse(key);
  } catch {
    return key;
  }
}
