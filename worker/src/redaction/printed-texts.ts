import { withoutTerminalCodes } from '../protocol/terminal-codes.js';

/**
 * Returns the texts by which a printed value is recognised: the value, and each of its lines, because the worker reads
 * the printed text of a run line by line. Echoes have no terminal codes, so the value also counts without them.
 */
export function printedTexts(value: string): Set<string> {
  const plain = withoutTerminalCodes(value);
  return new Set([value, plain, ...plain.split(/\r?\n/).map(line => line.trim())]);
}
