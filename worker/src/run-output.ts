import { LIMITS, RUN_ERRORS, type RunErrorCode } from '@trawl/contracts';

/** PostgreSQL reads JSON by recursion and gives up at some thousand levels. */
const MAX_LEVELS = 1_000;

const TOO_DEEP = `The output is nested more than ${MAX_LEVELS.toLocaleString('en')} levels deep, which is as deep as an output may be. Return a flatter value, or a reference to it in storage.`;

const [QUOTE, BACKSLASH] = ['"', '\\'].map(character => character.charCodeAt(0));
const OPENING = ['[', '{'].map(character => character.charCodeAt(0));
const CLOSING = [']', '}'].map(character => character.charCodeAt(0));

/**
 * What a run sent as its output, made fit to be kept, or why it cannot be. `maxBytes` is of UTF-8. That the text is what
 * JSON.stringify gives is not relied on: a skript may have put a function of its own in its place.
 */
export function checkedOutput(
  sent: string,
  maxBytes: number,
): { output: string } | { refused: RunErrorCode; text: string } {
  const tooLarge = { refused: 'output_too_large', text: RUN_ERRORS.output_too_large } as const;
  // First, because it costs nothing: a run may send much more than it should.
  if (Buffer.byteLength(sent) > maxBytes) return tooLarge;
  const output = wellFormed(sent);
  if (isDeeperThan(MAX_LEVELS, output)) return { refused: 'output_not_json', text: TOO_DEEP };
  if (!isJson(output)) return { refused: 'output_not_json', text: RUN_ERRORS.output_not_json };
  // In a frame the output's JSON text is text in JSON once more, and a frame has its size.
  const frameBytes = Buffer.byteLength(JSON.stringify(output)) + 4_096;
  return frameBytes > LIMITS.frameBytes ? tooLarge : { output };
}

/** Without halves of characters, which PostgreSQL does not hold: they go when the text is made UTF-8. */
export const wellFormed = (text: string): string => Buffer.from(text).toString();

/** Whether arrays and objects of a JSON text stand in each other deeper than that. Of other text it says nothing. */
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

/** Control characters within its texts, NUL among them, make it no JSON. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
