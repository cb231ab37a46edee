/**
 * Content of a skript's file as text. A file that is not text, such as a picture, is the data URL of its bytes, so that
 * every place that stores, compares or sends files handles text only.
 */

const BYTES = 'data:application/octet-stream;base64,';
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** Files that Trawl itself reads as text. */
const TEXT_ONLY = /\.([cm]?[jt]sx?|json)$|(^|\/)howto\.(html|md)$/i;

/** Returns the text of a file: its content if that is UTF-8, otherwise a data URL. */
export const fileText = (bytes: Uint8Array): string =>
  plainText(bytes) ?? BYTES + Buffer.from(bytes).toString('base64');

/** Returns the content of a file if that is its text too; null if its text is a data URL. */
export function plainText(bytes: Uint8Array): string | null {
  const text = utf8Text(bytes);
  // A text that looks like a data URL becomes one too, so that `fileBytes` returns the same bytes for every file.
  return text?.startsWith(BYTES) ? null : text;
}

/** Returns the content of a file from its text. */
export function fileBytes(text: string): Buffer {
  if (!isDataUrl(text)) return Buffer.from(text);
  const base64 = text.slice(BYTES.length);
  const bytes = Buffer.from(base64, 'base64');
  return bytes.toString('base64') === base64 ? bytes : Buffer.from(text);
}

/** Returns whether a text of `fileText` is a data URL. */
export const isDataUrl = (text: string): boolean => text.startsWith(BYTES);

export const mustBeText = (name: string): boolean => TEXT_ONLY.test(name);

/** Null for bytes that are not UTF-8, and for text with NUL, which PostgreSQL cannot store. */
function utf8Text(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return UTF8.decode(bytes);
  } catch {
    return null;
  }
}
