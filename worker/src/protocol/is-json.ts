/** Returns whether a text is valid JSON. A text with control characters inside strings, such as NUL, is not. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
