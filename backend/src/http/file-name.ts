const MAX_CHARS = 100;

/**
 * Turns a user's text into a file name that is valid on every system and has no invisible characters.
 * @param fallback the name if nothing of the text is left.
 */
export function fileNameOf(text: string, fallback: string): string {
  const safe = text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029/\\:*?"<>|]+/gu, '_').replaceAll(/^[ .]+|[ .]+$/g, '');
  return [...safe].slice(0, MAX_CHARS).join('').trim() || fallback;
}
