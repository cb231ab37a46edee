import { plain } from './page-elements.js';

/** Signs and codes of currencies in prices. */
const CURRENCY = /[$€£¥₹₽₩]|(?<![a-z])(?:usd|eur|gbp|chf|nok|sek|dkk|kr|pln|zł|kč|jpy|cny|inr|cad|aud)(?![a-z])/i;
const NUMBER = /\d{1,3}(?:[., \u00a0\u202f'’]\d{3})+(?:[.,]\d{1,2})?(?!\d)|\d+(?:[.,]\d+)?/g;
/** Words beside the number in texts such as `In stock (22 available)`. */
const MAX_WORDS = 3;
const MAX_CHARS = 60;

/**
 * Returns what the only number in a short text may be: 12.5 for `£12.50`; 1249 and 1.249 for `1.249 €`. Empty if there is
 * none, or more than one.
 */
export function numbersIn(text: string): number[] {
  if (text.length > MAX_CHARS || !/\d/.test(text)) return [];
  const found = text.match(NUMBER) ?? [];
  const [written = ''] = found;
  if (found.length !== 1 || (text.replace(written, ' ').match(/\p{L}+/gu) ?? []).length > MAX_WORDS) return [];
  const sign = text.startsWith('-') || text.startsWith('−') ? -1 : 1;
  const readings = new Set<number>();
  const digits = written.replace(/[ \u00a0\u202f'’]/g, '');
  const [, whole = '', decimals = ''] = /^(.*?)(?:[.,](\d+))?$/.exec(digits) ?? [];
  const asDecimal = Number(`${whole.replace(/[.,]/g, '')}.${decimals || '0'}`);
  if (decimals.length !== 3 || !/[.,]/.test(whole)) readings.add(sign * asDecimal);
  if (decimals.length === 3) readings.add(sign * Number(digits.replace(/[.,]/g, '')));
  return [...readings].filter(Number.isFinite);
}

export const hasCurrency = (text: string): boolean => CURRENCY.test(text);

/** Returns the form of a text: `Mar 3, 2024` has that of `Feb 14, 2023`. */
export const patternOf = (text: string): string =>
  plain(text)
    .replace(/\p{L}+/gu, 'a')
    .replace(/\d+/g, '9')
    .slice(0, MAX_CHARS);

/** Returns a text as it is compared: without case, punctuation and white space at its ends. */
export const folded = (text: string): string => plain(text.toLowerCase().replace(/[^\p{L}\p{N}.,/:%+-]+/gu, ' '));

/** Returns the day of a date in a text, such as 2024-03-03; null if there is none. */
export function dayIn(text: string): string | null {
  if (text.length > MAX_CHARS || !/\d{4}/.test(text) || !/\d/.test(text)) return null;
  const iso = /^\d{4}-\d\d-\d\d/.exec(text)?.[0];
  const time = Date.parse(iso ?? `${text} UTC`);
  return Number.isNaN(time) ? null : new Date(time).toISOString().slice(0, 10);
}
