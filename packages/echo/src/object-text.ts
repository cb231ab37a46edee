/**
 * Converts any value to JSON text. Values that JSON cannot represent become text: a circular reference `[Circular]`, a
 * BigInt `123n`, a function `[Function: name]`; an Error becomes its name, message and stack.
 */
export function objectText(value: unknown): string {
  const parents: object[] = [];
  function replace(this: unknown, _key: string, item: unknown): unknown {
    if (typeof item === 'bigint') return `${item}n`;
    if (typeof item === 'symbol') return item.toString();
    if (typeof item === 'function') return `[Function: ${item.name || 'anonymous'}]`;
    if (typeof item !== 'object' || item === null) return item;
    // `this` is the parent of the item. Remove the objects after it from `parents`, because they are complete.
    while (parents.length > 0 && parents.at(-1) !== this) parents.pop();
    if (parents.includes(item)) return '[Circular]';
    const written = plain(item);
    parents.push(written);
    return written;
  }
  try {
    return JSON.stringify(value, replace) ?? 'null';
  } catch (error) {
    return JSON.stringify(`[Not writable as JSON: ${error instanceof Error ? error.message : String(error)}]`);
  }
}

function plain(item: object): object {
  if (item instanceof Error) {
    return { ...item, name: item.name, message: item.message, stack: item.stack };
  }
  if (item instanceof Map) return Object.fromEntries(item);
  if (item instanceof Set) return [...item];
  return item;
}
