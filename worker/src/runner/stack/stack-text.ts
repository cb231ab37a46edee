import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { missingBinaryAdvice } from '@trawl/contracts';
import { egressHint } from '../network/egress-hint.js';
import { secondParameterHint } from '../second-parameter.js';
import type { SourcePositions } from './source-positions.js';

const MAX_FRAMES = 20;
const MAX_CAUSES = 5;

export interface StackSources {
  /** The file name under which V8 knows the bundle. */
  bundle: string;
  /** Folders of libraries, each ending with a separator. */
  libraries: string[];
  positions: SourcePositions;
}

/**
 * Formats every stack of this process, including those that the skript prints. Stacks show the user's files and
 * libraries by name. They show no frames of Node or of the runner, and no paths of the machine.
 */
export function installStackFormatter(sources: StackSources): void {
  // Raise the limit of frames, because the formatter drops most of them.
  Error.stackTraceLimit = 100;
  Error.prepareStackTrace = (error, sites) => {
    const frames = sites.map(site => frameText(site, sources)).filter(text => text !== null);
    return [headline(error), ...frames.slice(0, MAX_FRAMES).map(text => `    at ${text}`)].join('\n');
  };
}

function frameText(site: NodeJS.CallSite, { bundle, libraries, positions }: StackSources): string | null {
  const file = site.getFileName();
  const line = site.getLineNumber();
  const column = site.getColumnNumber();
  if (!file || line === null || column === null) return null;
  // The file name of an ES module is a URL.
  const path = file.startsWith('file:') ? fileURLToPath(file) : file;
  const folder = libraries.find(library => path.startsWith(library));
  if (folder) return site.toString().replace(file, path.slice(folder.length).split(sep).join('/'));
  if (file !== bundle) return null;
  const position = positions.find(line, column);
  if (!position) return null;
  const text = `${position.file}:${position.line}:${position.column}`;
  const caller = site
    .toString()
    .replace(/\s*\(?[^()]*:\d+:\d+\)?$/, '')
    .replace(/\bmodule\d+\./, 'module.')
    // Remove the name of the function that the bundler puts around each CommonJS file, because it is only the file's
    // name.
    .replace(/^(?:async )?(?:Object\.)?(\S+)$/, (whole, name: string) => (name === position.file ? '' : whole));
  return caller && caller !== 'async' ? `${caller} (${text})` : `${caller ? 'async ' : ''}${text}`;
}

function headline(error: unknown): string {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return 'Error';
  }
}

/** Returns whether a stack has a position in a file of the user. */
export const hasSourcePosition = (stack: string): boolean => /^ {4}at .*\.[cm]?[jt]sx?:\d+:\d+\)?$/m.test(stack);

/** Returns the stack of a thrown value, with its causes. Never throws, whatever the value is. */
export function thrownText(thrown: unknown): string {
  try {
    if (!isError(thrown)) return `A value that is not an Error was thrown: ${inspect(thrown, { depth: 2 })}`;
    const parts = [stackOf(thrown)];
    let cause: unknown = thrown.cause;
    for (let depth = 0; cause !== undefined && depth < MAX_CAUSES; depth += 1) {
      parts.push(`  caused by ${isError(cause) ? stackOf(cause) : inspect(cause, { depth: 2 })}`);
      cause = isError(cause) ? cause.cause : undefined;
    }
    if (thrown instanceof AggregateError) {
      for (const error of thrown.errors.slice(0, MAX_CAUSES)) parts.push(`  one of them ${firstLine(error)}`);
    }
    const text = parts.join('\n');
    const hints = [egressHint(thrown), secondParameterHint(thrown)].filter(hint => hint && !text.includes(hint.trim()));
    return [text, ...hints].join('\n');
  } catch {
    return 'A value was thrown that cannot be shown.';
  }
}

/** Returns what to do about a thrown value, if there is advice. Never throws, whatever the value is. */
export function adviceOnThrown(thrown: unknown): string | null {
  try {
    return isError(thrown) && typeof thrown.message === 'string' ? missingBinaryAdvice(thrown.message) : null;
  } catch {
    // A getter of the skript has thrown.
    return null;
  }
}

const isError = (value: unknown): value is Error =>
  value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';

const firstLine = (value: unknown): string => (isError(value) ? headline(value) : inspect(value, { depth: 0 }));

function stackOf(error: Error): string {
  const stack = typeof error.stack === 'string' ? error.stack : '';
  const head = headline(error);
  // Add the message if it is missing: V8 writes the first line of the stack when the error is created, and the skript
  // may set the message later.
  return stack.includes(error.message) ? stack : `${head}\n${stack}`;
}
