/**
 * Escape sequences of terminals (ECMA-48): colours and cursor movements, titles and links, and shorter ones. The end of
 * a colour code is optional, because a cut may fall inside the code.
 *
 * Node's `stripVTControlCharacters` leaves colons and titles with spaces, and exceeds the stack on a hostile text of a
 * few megabytes. All repetitions here are bounded, so the time grows with the text only.
 */
const CODES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters begin and end the codes
  /(?:\u001b\[|\u009b)[0-?]{0,100}[ -/]{0,10}[@-~]?|\u001b[\]PX^_][^\u0007\u001b\u009c]{0,2048}(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]{0,10}[0-~]?/g;

/** Removes the codes that programs print to colour their output in a terminal. The result has no escape character. */
export const withoutTerminalCodes = (text: string): string =>
  text.includes('\u001b') || text.includes('\u009b') ? text.replace(CODES, '') : text;

const JSON_STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/gs;
const MAY_HAVE_CODES = /\\u00[19]b|\u009b/i;

/** Removes the codes from the strings and names in a JSON text. Everything else stays as it is. */
export const withoutTerminalCodesInJson = (json: string): string =>
  MAY_HAVE_CODES.test(json) ? json.replace(JSON_STRING, stringWithoutCodes) : json;

function stringWithoutCodes(literal: string): string {
  if (!MAY_HAVE_CODES.test(literal)) return literal;
  try {
    return JSON.stringify(withoutTerminalCodes(JSON.parse(literal)));
  } catch {
    return literal; // not JSON: a run can send any text
  }
}
