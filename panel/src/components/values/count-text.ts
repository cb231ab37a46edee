/** Formats a number with its noun, such as `1,240 rows`. */
export const countText = (count: number, noun: string): string =>
  `${count.toLocaleString('en-GB')} ${noun}${count === 1 ? '' : 's'}`;
