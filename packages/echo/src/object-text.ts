/**
 * JSON text of any value. What JSON cannot write is put in words instead of being lost or thrown: a circular reference as
 * `[Circular]`, a BigInt as `123n`, a function as `[Function: name]`, an Error as its name, message and stack.
 */
export function objectText(value: unknown): string {
  const parents: object[] = [];
  function replace(this: unknown, _key: string, item: unknown): unknown {
    if (typeof item === 'bigint') return `${item}n`;
    if (typeof item === 'symbol') return item.toString();
    if (typeof item === 'function') return `[Function: ${item.name || 'anonymous'}]`;
    if (typeof item !== 'object' || item === null) return item;
    // `this` is the object that holds the item: what was entered after it has been left by now.
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
