/** A place in a file of a skript; `line` and `column` count from 1. */
export interface Place {
  file: string;
  line: number;
  column: number;
}

const PLACE = /(?<![\w@./-])((?:[\w@.-]+\/)*[\w@.-]+\.[cm]?[jt]sx?):(\d+):(\d+)/g;

/**
 * Splits the error of a run into plain text and the places in the skript's files, such as `main.js:5:15`.
 *
 * @param files names of the skript's files. Frames of libraries look alike, such as `axios/index.js:5:15`, and are text.
 */
export function stackParts(stack: string, files: ReadonlySet<string>): { text: string; place: Place | null }[] {
  const parts: { text: string; place: Place | null }[] = [];
  let end = 0;
  for (const match of stack.matchAll(PLACE)) {
    const [text, file = '', line, column] = match;
    if (!files.has(file)) continue;
    if (match.index > end) parts.push({ text: stack.slice(end, match.index), place: null });
    parts.push({ text, place: { file, line: Number(line), column: Number(column) } });
    end = match.index + text.length;
  }
  if (end < stack.length) parts.push({ text: stack.slice(end), place: null });
  return parts;
}

/** Splits the error of a run at the first line of its trace, such as `    at parse (main.js:5:15)`. */
export function messageAndTrace(stack: string): { message: string; trace: string } {
  const start = stack.search(/^ {4}at /m);
  return start < 0
    ? { message: stack, trace: '' }
    : { message: stack.slice(0, start).trimEnd(), trace: stack.slice(start) };
}

/** Returns the first place of the trace in the skript's files, or else the first one in the message. */
export function firstPlace(stack: string, files: ReadonlySet<string>): Place | null {
  const { message, trace } = messageAndTrace(stack);
  const found = [trace, message].flatMap(text => stackParts(text, files)).find(({ place }) => place);
  return found?.place ?? null;
}

const HEADING_CHARS = 200;

/** Returns the first line of a message, cut if it is long. */
export function headingOf(message: string): string {
  const [first = ''] = message.split('\n');
  return first.length > HEADING_CHARS ? `${first.slice(0, HEADING_CHARS)}…` : first;
}
