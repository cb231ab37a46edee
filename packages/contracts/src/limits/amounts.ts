const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** Formats a size, such as `1.5 KiB`. */
export function byteSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

/** Formats a number with its noun, such as `1 row` or `1,240 rows`. */
export const countText = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en-GB')} ${count === 1 ? one : many}`;
