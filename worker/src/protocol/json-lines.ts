/** Returns a JSON value as one line. Journals on disk and the pipes to the worker's helpers consist of such lines. */
export const jsonLine = (value: object): string => `${JSON.stringify(value)}\n`;

/** Parses such a line. Returns null if the line is incomplete, because its writer was killed or the disk was full. */
export function parseJsonLine<T>(text: string): T | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
