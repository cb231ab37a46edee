import { stripVTControlCharacters } from 'node:util';

/** Control characters but tab and line feed, and characters that change the direction of text. */
const UNSAFE = /(?![\t\n])\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/**
 * Removes what would let a text control the terminal: escape sequences, control characters, and characters that make
 * text read in another order. All text from the platform passes here, because others may have written it.
 */
export const clean = (text: string): string => stripVTControlCharacters(text).replace(UNSAFE, '');

/** As `clean`, on one line. */
export const cleanLine = (text: string): string => clean(text).replace(/\s+/g, ' ').trim();

/** Returns JSON text in which those characters are escaped, so that the value stays the same. */
export const safeJson = (value: unknown, indent?: number): string =>
  // Line feeds are the JSON's own: JSON.stringify escapes those of the value, as it does tabs.
  (JSON.stringify(value, null, indent) ?? 'null').replace(
    UNSAFE,
    unsafe => `\\u${unsafe.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
