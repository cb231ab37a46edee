/** Longer files are libraries in one file, which TypeScript would take seconds to read. */
export const MAX_CHARS = 300_000;
