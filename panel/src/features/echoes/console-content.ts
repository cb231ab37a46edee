import type { ConsoleLine } from './echo-buffer.js';

/** The lines of a console. The page has only the last lines of a live run; a web worker has the others. */
export interface ConsoleContent {
  /** Identifies each line, see `keyOf`. */
  keys: Int32Array<ArrayBuffer>;
  /** The last lines. */
  lines: readonly ConsoleLine[];
}

/** Returns a number that identifies a line and stays the same: the echo's `seq`; for a gap, that of its first echo, negated. */
const keyOf = (line: ConsoleLine): number => (line.kind === 'echo' ? line.echo.seq : -line.from_seq);

/** @param count number of last lines to include; all if it is missing. */
export const contentOf = (lines: readonly ConsoleLine[], count = lines.length): ConsoleContent => ({
  keys: Int32Array.from(lines, keyOf),
  lines: lines.slice(Math.max(0, lines.length - count)),
});

export const hasAllLines = ({ keys, lines }: ConsoleContent): boolean => lines.length >= keys.length;

/** Returns undefined for a line that is not on the page. */
export const lineAt = ({ keys, lines }: ConsoleContent, index: number): ConsoleLine | undefined =>
  lines[index - keys.length + lines.length];

/** Adds the missing lines step by step, the last ones first. */
export async function* withEarlierLines(
  content: ConsoleContent,
  loadBefore: (key: number) => Promise<readonly ConsoleLine[]>,
): AsyncGenerator<ConsoleContent> {
  let { keys, lines } = content;
  while (lines.length < keys.length) {
    const earlier = await loadBefore(keys[keys.length - lines.length] ?? 0);
    // The worker no longer has the lines before.
    if (earlier.length === 0) keys = keys.slice(keys.length - lines.length);
    lines = [...earlier, ...lines];
    yield { keys, lines };
  }
}
