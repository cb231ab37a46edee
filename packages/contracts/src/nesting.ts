/**
 * Returns whether objects and arrays are nested more than `levels` deep. It uses no recursion, so that a deeply nested
 * value cannot overflow the stack.
 */
export function isNestedDeeper(value: unknown, levels: number): boolean {
  const containers: object[] = isContainer(value) ? [value] : [];
  const depths = [1];
  for (let container = containers.pop(); container; container = containers.pop()) {
    const depth = depths.pop() as number;
    if (depth > levels) return true;
    for (const item of Object.values(container)) {
      if (!isContainer(item)) continue;
      containers.push(item);
      depths.push(depth + 1);
    }
  }
  return false;
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Same check for JSON text in UTF-8 that is not parsed yet. It costs much less than to parse the text. */
export function isJsonNestedDeeper(text: Uint8Array, levels: number): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at];
    if (inString) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      depth += 1;
      if (depth > levels) return true;
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth -= 1;
  }
  return false;
}

const [QUOTE, BACKSLASH, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [...'"\\[]{}'].map(character =>
  character.charCodeAt(0),
);
