import { EXCHANGE_LIMITS, type HeaderPair } from '@trawl/contracts';

const textOf = (value: unknown): string =>
  (Buffer.isBuffer(value) ? value.toString('latin1') : String(value)).slice(0, EXCHANGE_LIMITS.headerChars);

/** Reads headers from a list in which names and values take turns, as Node and undici have them. Stops at the limits. */
export function headerPairs(raw: readonly unknown[]): HeaderPair[] {
  const pairs: HeaderPair[] = [];
  let chars = 0;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name, value] = [textOf(raw[at]), raw[at + 1]];
    for (const one of Array.isArray(value) ? value : [value]) {
      const text = textOf(one);
      chars += name.length + text.length;
      if (chars > EXCHANGE_LIMITS.allHeaderChars || pairs.length === EXCHANGE_LIMITS.headers) return pairs;
      pairs.push([name, text]);
    }
  }
  return pairs;
}

/** Reads headers from the lines of a request, as undici 5 has them. */
export function headersOfLines(text: string): HeaderPair[] {
  return headerPairs(
    text
      .split('\r\n')
      .filter(line => line.includes(':'))
      .flatMap(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
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
