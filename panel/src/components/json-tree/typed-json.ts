import type { JsonValue } from '../../api/entities.js';
import { parseJson } from './json-nodes.js';

const TEXTS_AND_NUMBERS = /"(?:[^"\\]+|\\.)*"|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi;

/** Returns whether a number is so large that the browser would send other digits than the user wrote. */
function isInexact(written: string): boolean {
  const value = Number(written);
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER || String(value) === written) return false;
  // An exponent, such as in 1e21, says that the number is rounded.
  return !Number.isFinite(value) || !/e/i.test(written);
}

/** Returns a message about the first number in a JSON text that the browser cannot keep exactly; undefined if there is none. */
export function inexactNumber(json: string): string | undefined {
  const [found] = json.match(TEXTS_AND_NUMBERS)?.filter(token => !token.startsWith('"') && isInexact(token)) ?? [];
  const most = Number.MAX_SAFE_INTEGER;
  return found && `${found} is too large to be kept exactly. Enter a number between -${most} and ${most}`;
}

/** Parses JSON text that the user typed; returns the value, or a sentence about what is wrong. */
export function parseTyped(text: string): { value: JsonValue } | { problem: string } {
  const parsed = parseJson(text);
  if ('error' in parsed) return { problem: `Not valid JSON: ${parsed.error}` };
  const problem = inexactNumber(text);
  return problem === undefined ? parsed : { problem };
}
