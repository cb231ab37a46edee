import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { egressHint } from './egress-hint.js';
import type { SourcePlaces } from './source-places.js';

const MAX_FRAMES = 20;
const MAX_CAUSES = 5;

export interface StackPlaces {
  /** File name under which the bundle was loaded. */
  bundle: string;
  /** Folders of libraries, each ending with a separator. */
  libraries: string[];
  sources: SourcePlaces;
}

/**
 * Makes every stack of this process name the user's own files, stock libraries by their name, and nothing else: no
 * frames of Node or of the runner, no paths of the machine. Stacks that the skript prints itself are covered as well.
 */
export function nameSourcesInStacks(places: StackPlaces): void {
  // Most frames are dropped, so more are asked for.
  Error.stackTraceLimit = 100;
  Error.prepareStackTrace = (error, sites) => {
    const frames = sites.map(site => frameText(site, places)).filter(text => text !== null);
    return [headline(error), ...frames.slice(0, MAX_FRAMES).map(text => `    at ${text}`)].join('\n');
  };
}

function frameText(site: NodeJS.CallSite, { bundle, libraries, sources }: StackPlaces): string | null {
  const file = site.getFileName();
  const line = site.getLineNumber();
  const column = site.getColumnNumber();
  if (!file || line === null || column === null) return null;
  // ES modules are named by their address.
  const path = file.startsWith('file:') ? fileURLToPath(file) : file;
  const folder = libraries.find(library => path.startsWith(library));
  if (folder) return site.toString().replace(file, path.slice(folder.length).split(sep).join('/'));
  if (file !== bundle) return null;
  const place = sources.find(line, column);
  if (!place) return null;
  const text = `${place.file}:${place.line}:${place.column}`;
  const caller = site
    .toString()
    .replace(/\s*\(?[^()]*:\d+:\d+\)?$/, '')
    .replace(/\bmodule\d+\./, 'module.')
    // The bundler wraps each CommonJS file in a function that is named after the file.
    .replace(/^(?:async )?(?:Object\.)?(\S+)$/, (whole, name: string) => (name === place.file ? '' : whole));
  return caller && caller !== 'async' ? `${caller} (${text})` : `${caller ? 'async ' : ''}${text}`;
}

function headline(error: unknown): string {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return 'Error';
  }
}

/** Whether the text names a place in a file of the user, so that a reader knows where to look. */
export const namesPlace = (stack: string): boolean => /^ {4}at .*\.[cm]?[jt]sx?:\d+:\d+\)?$/m.test(stack);

/** The stack of whatever was thrown, with the causes that it names. Never throws, whatever the value does. */
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
    const hint = egressHint(thrown);
    return (hint === null ? parts : [...parts, hint]).join('\n');
  } catch {
    return 'A value was thrown that cannot be shown.';
  }
}

const isError = (value: unknown): value is Error =>
  value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';

const firstLine = (value: unknown): string => (isError(value) ? headline(value) : inspect(value, { depth: 0 }));

function stackOf(error: Error): string {
  const stack = typeof error.stack === 'string' ? error.stack : '';
  const head = headline(error);
  // The stack's first line is of the moment the error was made; a message set later would be lost.
  return stack.includes(error.message) ? stack : `${head}\n${stack}`;
}
