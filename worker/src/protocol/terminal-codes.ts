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
