/** An escaped backslash, or an escape of a NUL or of half a surrogate pair. JSON.stringify does not escape whole pairs. */
const ESCAPES = /\\\\|\\u(?:0000|d[89a-f][0-9a-f]{2})/g;

/**
 * Returns JSON whose fields PostgreSQL can read. It stores NUL characters and halves of surrogate pairs in a column of
 * the type json, but refuses to read any field of that JSON, so U+FFFD takes their place.
 */
export const jsonForPostgres = (value: object): string =>
  JSON.stringify(value).replaceAll(ESCAPES, found => (found === String.raw`\\` ? found : '\ufffd'));
