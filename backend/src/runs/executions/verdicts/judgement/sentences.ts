import type { ValueType } from '../profile/field-profile.js';

const MAX_DIGITS = 3;

/** Returns a share in percent. A share near 0 or 1 gets digits that tell it from them. */
export const percent = (share: number): string => withDigits(share, digitsOf(share));

/** Returns two shares in percent. Shares that differ get different texts. */
export function percents(one: number, other: number): [string, string] {
  let texts: [string, string] = [percent(one), percent(other)];
  for (let digits = 1; digits <= MAX_DIGITS && texts[0] === texts[1]; digits++) {
    texts = [withDigits(one, digits), withDigits(other, digits)];
  }
  return texts;
}

const withDigits = (share: number, digits: number): string => `${Number((share * 100).toFixed(digits))} %`;

function digitsOf(share: number): number {
  for (let digits = 0; digits <= MAX_DIGITS; digits++) {
    const text = withDigits(share, digits);
    if (text !== '0 %' && text !== '100 %') return digits;
  }
  return 0;
}

export function placeOf(target: string): string {
  if (target === 'dataset') return 'The dataset';
  const [store, name] = [target.slice(0, target.indexOf(':')), target.slice(target.indexOf(':') + 1)];
  return store === 'postgresql' ? `The table ${name}` : `The collection ${name}`;
}

/** Profiles know sizes to a few percent. */
export const amount = (value: number): string => String(Number(value.toPrecision(2)));

/** @param one the noun for a single thing; it gets an s for several */
export const countOf = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

const TYPE_WORDS: Record<ValueType, string> = {
  text: 'a text',
  number: 'a number',
  boolean: 'a boolean',
  date: 'a date',
  object: 'an object',
  list: 'a list',
  other: 'of another type',
};

/** Returns how a sentence names the type of a value: "was a number". */
export const typeWords = (type: ValueType): string => TYPE_WORDS[type];
