const MARKER = /… \[cut: [\w ]{1,60}\]$/;

/**
 * Cuts a text to `maxChars` characters if it is longer. A cut text ends with a marker that says that it was cut.
 *
 * @param chars length of the whole text, if `text` is only its beginning
 */
export function cutText(text: string, maxChars: number, chars = text.length): string {
  if (chars <= maxChars) return text;
  // If the text was cut before, keep its marker, because the marker contains the original length.
  const markedAt = markerStart(text);
  const marker = markedAt === null ? `… [cut: ${chars} characters in all]` : text.slice(markedAt);
  return text.slice(0, maxChars - marker.length) + marker;
}

/** Returns the position of the marker at the end of a cut text; null if the text was not cut. */
export function markerStart(text: string): number | null {
  const at = MARKER.exec(text.slice(-80));
  return at && text.length - at[0].length;
}
