import type { BundleProblem } from '@trawl/contracts';

/** A message of esbuild, as far as it is needed here. `line` counts from 1, `column` from 0 and in bytes. */
export interface BuildMessage {
  text: string;
  location: { file: string; line: number; column: number; lineText: string } | null;
}

export const NAMESPACE = 'skript';
export const MAX_PROBLEMS = 50;
const LINE_CHARS = 500;

/** What esbuild says, in the words of someone who writes a skript. */
const REWORDED: [RegExp, string][] = [
  [
    /^Top-level await is currently not supported/,
    'await can be used only inside a function here: move this into the async function that main.js exports.',
  ],
  [
    /^Could not resolve (require|import)\("(.*)"\)$/,
    'An import must name one file as plain text, because the bundle is made before the run. Import each file by its name and choose among them in the code.',
  ],
  [
    /^"import\.meta" is not available/,
    'import.meta is empty in a run: main.js and what it imports become one file. Use import or require to reach files of the skript.',
  ],
  [
    /^No loader is configured for|^Cannot import "?.*"? (into|with)/,
    'This cannot be imported: a skript can import .js, .mjs, .cjs and .json files.',
  ],
];

export function toProblem({ text, location }: BuildMessage): BundleProblem {
  const message = REWORDED.find(([pattern]) => pattern.test(text))?.[1] ?? text.replaceAll(`${NAMESPACE}:`, '');
  if (!location) return { message, file: null, line: null, column: null, line_text: null };
  const { file, line, column, lineText } = location;
  return {
    message,
    file: file.startsWith(`${NAMESPACE}:`) ? file.slice(NAMESPACE.length + 1) : file,
    line,
    column: Buffer.from(lineText).subarray(0, column).toString().length + 1,
    line_text: lineText.length > LINE_CHARS ? `${lineText.slice(0, LINE_CHARS)}…` : lineText,
  };
}

/** A problem that stands at no place in the files. */
export const problem = (message: string): BundleProblem => ({
  message,
  file: null,
  line: null,
  column: null,
  line_text: null,
});
