const MARKER = /… \[cut: [\w ]{1,60}\]$/;

/** At most `maxChars` long; what was cut ends with a marker that says so. `text` may be the beginning of one of `chars`. */
export function cutText(text: string, maxChars: number, chars = text.length): string {
  if (chars <= maxChars) return text;
  // One that grew since it was cut says what it had in all before.
  const markedAt = cutPlace(text);
  const marker = markedAt === null ? `… [cut: ${chars} characters in all]` : text.slice(markedAt);
  return text.slice(0, maxChars - marker.length) + marker;
}

/** Where the marker of a text that was cut begins; null when it is whole. */
export function cutPlace(text: string): number | null {
  const at = MARKER.exec(text.slice(-80));
  return at && text.length - at[0].length;
}
