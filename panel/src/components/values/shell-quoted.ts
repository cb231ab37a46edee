/** Quotes a text for a POSIX shell, so that it is one argument and nothing in it is expanded. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
