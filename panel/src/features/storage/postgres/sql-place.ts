/**
 * Returns the offset of a character in a text. PostgreSQL counts characters from 1, where JavaScript counts UTF-16 units,
 * of which a character outside the basic plane has two.
 */
export function offsetOf(text: string, position: number): number {
  let offset = 0;
  let passed = 1;
  for (const character of text) {
    if (passed >= position) break;
    offset += character.length;
    passed += 1;
  }
  return offset;
}

/** Returns line and column of a character, both from 1. */
export function placeOf(text: string, position: number): { line: number; column: number } {
  const before = text.slice(0, offsetOf(text, position)).split('\n');
  return { line: before.length, column: [...(before.at(-1) ?? '')].length + 1 };
}
