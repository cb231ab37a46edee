import { EXCHANGE_LIMITS, type HeaderPair } from '@trawl/contracts';

/** How much of the address and the headers of an exchange is kept. */
export type HeadLimits = Record<'urlChars' | 'headers' | 'headerChars' | 'allHeaderChars', number>;

/** Reads headers from a list in which names and values take turns, as Node and undici have them. Stops at the limits. */
export function headerPairs(raw: readonly unknown[], limits: HeadLimits = EXCHANGE_LIMITS): HeaderPair[] {
  const textOf = (value: unknown): string =>
    (Buffer.isBuffer(value) ? value.toString('latin1') : String(value)).slice(0, limits.headerChars);
  const pairs: HeaderPair[] = [];
  let chars = 0;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name, value] = [textOf(raw[at]), raw[at + 1]];
    for (const one of Array.isArray(value) ? value : [value]) {
      const text = textOf(one);
      chars += name.length + text.length;
      if (chars > limits.allHeaderChars || pairs.length === limits.headers) return pairs;
      pairs.push([name, text]);
    }
  }
  return pairs;
}

/** Reads headers from the lines of a request, as undici 5 has them. */
export function headersOfLines(text: string, limits: HeadLimits): HeaderPair[] {
  return headerPairs(
    text
      .split('\r\n')
      .filter(line => line.includes(':'))
      .flatMap(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
    limits,
  );
}

/** Returns the text of an error that a library has reported, which may be any value. */
export function errorText(error: unknown): string {
  try {
    return String(error).slice(0, EXCHANGE_LIMITS.errorChars);
  } catch {
    return 'an error without a text';
  }
}
