import type { BundleProblem } from '@trawl/contracts';
import { restoreMapComments } from './source-map-comments.js';

/** The fields of an esbuild message that we use. `line` counts from 1; `column` counts bytes from 0. */
export interface BuildMessage {
  text: string;
  location: { file: string; line: number; column: number; lineText: string } | null;
}

export const NAMESPACE = 'skript';
export const MAX_PROBLEMS = 50;
const LINE_CHARS = 500;

/** Patterns of esbuild's messages, each with a message that authors of skripts understand. */
const REWORDED: [RegExp, string][] = [
  [
    /^Could not resolve (require|import)\("(.*)"\)$/,
    'An import must name its file as a literal string, because the bundle is built before the run. Use require, which can compute its path.',
  ],
  [
    /^No loader is configured for|^Cannot import "?.*"? (into|with)/,
    'This file cannot be imported. A skript can import JavaScript, TypeScript and JSON files.',
  ],
];

/** Message for a build whose process died. The cause is usually its memory limit. */
export const TOO_LARGE = 'The build exceeded its memory limit. Make the skript’s files smaller or less deeply nested.';

/**
 * Translates a message of esbuild. The result quotes only the skript's own files, because other text could reveal
 * details of the server.
 * @param files the names of the skript's files.
 */
export function toProblem({ text, location }: BuildMessage, files: { has(name: string): boolean }): BundleProblem {
  const file = location?.file.startsWith(`${NAMESPACE}:`) ? location.file.slice(NAMESPACE.length + 1) : null;
  if (!location || file === null || !files.has(file)) {
    return problem('The build failed for a reason outside the skript’s files. Undo your last change and build again.');
  }
  const message = REWORDED.find(([pattern]) => pattern.test(text))?.[1] ?? text.replaceAll(`${NAMESPACE}:`, '');
  const line = restoreMapComments(location.lineText);
  const before = restoreMapComments(Buffer.from(location.lineText).subarray(0, location.column).toString());
  return {
    message,
    file,
    line: location.line,
    column: before.length + 1,
    line_text: line.length > LINE_CHARS ? `${line.slice(0, LINE_CHARS)}…` : line,
  };
}

/** Makes a problem that has no position in a file. */
export const problem = (message: string): BundleProblem => ({
  message,
  file: null,
  line: null,
  column: null,
  line_text: null,
});
