import { LIMITS, RUN_ERRORS, type RunErrorCode } from '@trawl/contracts';
import { isJson } from '../protocol/is-json.js';

/** Maximum nesting of an output. PostgreSQL parses JSON recursively and fails at a few thousand levels. */
const MAX_LEVELS = 1_000;

const TOO_DEEP = `The output is nested more than ${MAX_LEVELS.toLocaleString('en')} levels deep, which is the maximum. Return a flatter value, or a reference to it in storage.`;

const [QUOTE, BACKSLASH] = ['"', '\\'].map(character => character.charCodeAt(0));
const OPENING = ['[', '{'].map(character => character.charCodeAt(0));
const CLOSING = [']', '}'].map(character => character.charCodeAt(0));

/**
 * Checks the output that a run has sent, and changes it so that the platform can store it. The text may be invalid
 * JSON, because a skript can replace JSON.stringify.
 *
 * @param maxBytes maximum size of the output in UTF-8
 */
export function checkedOutput(
  sent: string,
  maxBytes: number,
): { output: string } | { refused: RunErrorCode; text: string } {
  const tooLarge = { refused: 'output_too_large', text: RUN_ERRORS.output_too_large } as const;
  // Check the size first, because this is fast and the text may be very long.
  if (Buffer.byteLength(sent) > maxBytes) return tooLarge;
  const output = wellFormed(sent);
  if (isDeeperThan(MAX_LEVELS, output)) return { refused: 'output_not_json', text: TOO_DEEP };
  if (!isJson(output)) return { refused: 'output_not_json', text: RUN_ERRORS.output_not_json };
  // The frame contains the JSON text as an escaped string, which is longer. The frame must not exceed its maximum size.
  const frameBytes = Buffer.byteLength(JSON.stringify(output)) + 4_096;
  return frameBytes > LIMITS.frameBytes ? tooLarge : { output };
}

/** Replaces lone surrogates, which PostgreSQL cannot store, by converting the text to UTF-8 and back. */
export const wellFormed = (text: string): string => Buffer.from(text).toString();

/**
 * Returns whether arrays and objects in a JSON text are nested deeper than `maxLevels`. If the text is not JSON, the
 * result has no meaning.
 */
function isDeeperThan(maxLevels: number, json: string): boolean {
  let level = 0;
  let quoted = false;
  for (let at = 0; at < json.length; at += 1) {
    const character = json.charCodeAt(at);
    if (character === QUOTE) quoted = !quoted;
    else if (quoted) at += character === BACKSLASH ? 1 : 0;
    else if (OPENING.includes(character)) level += 1;
    else if (CLOSING.includes(character)) level -= 1;
    if (level > maxLevels) return true;
  }
  return false;
}
