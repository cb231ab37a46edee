import { Matches } from 'class-validator';

const MAX_CHARS = 100;

/**
 * For use in a regular expression: characters that reorder the text around them. With them, `exe.csv` can be shown for a
 * name that ends in `.exe`.
 */
export const BIDI_CONTROLS = '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069';
/** A name in one line that is shown as it is stored. */
export const VISIBLE_NAME = new RegExp(`^[^\\p{Cc}\\p{Cs}\\u2028\\u2029${BIDI_CONTROLS}]*$`, 'u');

/** Checks that a name can be shown as it is stored. */
export const VisibleName = (): PropertyDecorator =>
  Matches(VISIBLE_NAME, {
    message:
      '$property must be one line without control characters and without characters that change the direction of text',
  });

/**
 * Turns a user's text into a file name that is valid on every system and has no invisible characters.
 * @param fallback the name if nothing of the text is left.
 */
export function fileNameOf(text: string, fallback: string): string {
  const safe = text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029/\\:*?"<>|]+/gu, '_').replaceAll(/^[ .]+|[ .]+$/g, '');
  return [...safe].slice(0, MAX_CHARS).join('').trim() || fallback;
}
