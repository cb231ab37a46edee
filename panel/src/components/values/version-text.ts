/** Returns the number of a version, or the beginning of its hash if it was deleted and has no number. */
export const versionText = (number: number | null, hash: string): string =>
  number === null ? hash.slice(0, 10) : String(number);
