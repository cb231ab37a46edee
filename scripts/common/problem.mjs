// @ts-check

/** An error that the person at the terminal can fix: shown as its message, without a stack. */
export class Problem extends Error {}

/**
 * @param {unknown} error
 * @returns {string} text for the user: the message of a Problem, or the stack of any other error
 */
export function explain(error) {
  if (error instanceof Problem) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
