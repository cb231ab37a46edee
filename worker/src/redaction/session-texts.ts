import { printedTexts } from './printed-texts.js';

/** Shorter values, such as `true` or `en-GB`, are in many texts. */
const MIN_CHARS = 8;

/**
 * Returns the texts of a session that nobody may read: the values of its cookies and of its storage, and the texts inside
 * a value of storage that is JSON. Cookies come first, then the texts of storage, the shortest first: long ones are mostly
 * no tokens. The lines of texts come last: a long document has many.
 *
 * @param value JSON text, which a run may have written
 * @param maxChars longer texts are cut to this length
 */
export function sessionTexts(value: string, maxChars: number): string[] {
  const { cookies, origins } = (parsed(value) ?? {}) as { cookies?: unknown; origins?: unknown };
  const ofCookies = new Set<string>();
  for (const cookie of listOf(cookies)) {
    const text = fieldOf(cookie, 'value');
    collect(text, ofCookies);
    if (typeof text === 'string') collect(inHeader(text), ofCookies);
  }
  const found = new Set<string>();
  for (const origin of listOf(origins)) {
    for (const storage of ['localStorage', 'sessionStorage']) {
      for (const item of listOf(fieldOf(origin, storage))) {
        const text = fieldOf(item, 'value');
        collect(text, found);
        collect(parsed(String(text)), found);
      }
    }
  }
  const inOrder = [...ofCookies, ...[...found].sort((a, b) => a.length - b.length)];
  const whole = inOrder.map(text => text.slice(0, maxChars));
  const lines = whole.flatMap(text => [...printedTexts(text)]).filter(isSecret);
  return [...new Set([...whole, ...lines])];
}

const isSecret = (value: unknown): value is string => typeof value === 'string' && value.length >= MIN_CHARS;

/** Returns a value as the headers of `fetch` have it: they give each byte as a character. */
const inHeader = (value: string): string => Buffer.from(value).toString('latin1');

function collect(value: unknown, found: Set<string>): void {
  // Do not use recursion, so that any depth of nesting works.
  const values = [value];
  while (values.length > 0) {
    const next = values.pop();
    if (isSecret(next)) found.add(next);
    else if (typeof next === 'object' && next !== null) for (const inner of Object.values(next)) values.push(inner);
  }
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
