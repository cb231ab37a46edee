/** A place in a file of a skript; `line` and `column` count from 1. */
export interface Place {
  file: string;
  line: number;
  column: number;
}

const PLACE = /(?<![\w@./-])((?:[\w@.-]+\/)*[\w@.-]+\.[cm]?[jt]sx?):(\d+):(\d+)/g;

/** Splits the error of a run into plain text and the places in the skript's files, such as `main.js:5:15`. */
export function stackParts(stack: string): { text: string; place: Place | null }[] {
  const parts: { text: string; place: Place | null }[] = [];
  let end = 0;
  for (const match of stack.matchAll(PLACE)) {
    const [text, file = '', line, column] = match;
    if (match.index > end) parts.push({ text: stack.slice(end, match.index), place: null });
    // Libraries are not files of the skript.
    const isOwn = !file.includes('node_modules/');
    parts.push({ text, place: isOwn ? { file, line: Number(line), column: Number(column) } : null });
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
