import type { BundleProblem } from '@trawl/contracts';
import { withMapComments } from './map-comments.js';

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

/** What a process says that ended before it was done: the limits of a build leave it no other way. */
export const TOO_LARGE =
  'Building the bundle needed more memory than a build may have. Make the skript’s files smaller or less deeply nested.';

/**
 * Only what stands in the skript's own files is told, with its text; anything else could show the machine's.
 * @param files the names of the skript's files.
 */
export function toProblem({ text, location }: BuildMessage, files: { has(name: string): boolean }): BundleProblem {
  const file = location?.file.startsWith(`${NAMESPACE}:`) ? location.file.slice(NAMESPACE.length + 1) : null;
  if (!location || file === null || !files.has(file)) {
    return problem(
      'The bundle could not be built, for a reason outside the skript’s own files. Take out what was changed last, and bundle again.',
    );
  }
  const message = REWORDED.find(([pattern]) => pattern.test(text))?.[1] ?? text.replaceAll(`${NAMESPACE}:`, '');
  const line = withMapComments(location.lineText);
  const before = withMapComments(Buffer.from(location.lineText).subarray(0, location.column).toString());
  return {
    message,
    file,
    line: location.line,
    column: before.length + 1,
    line_text: line.length > LINE_CHARS ? `${line.slice(0, LINE_CHARS)}…` : line,
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
