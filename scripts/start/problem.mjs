// @ts-check

/** Something that the person at the terminal can mend: shown as its message alone, without a stack. */
export class Problem extends Error {}

/**
 * @param {unknown} error
 * @returns {string} for a person: the message of a Problem, the stack of anything unforeseen
 */
export function explain(error) {
  if (error instanceof Problem) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
