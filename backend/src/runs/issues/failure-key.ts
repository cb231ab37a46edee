import { createHash } from 'node:crypto';

/** Longest message that an issue shows. */
const MAX_MESSAGE_CHARS = 500;
const MAX_FRAME_CHARS = 200;
/** Longer lines are cut, so that hostile errors take little time. */
const MAX_LINE_CHARS = 1_000;

/** A frame, such as `    at parse (main.js:3:18)`. Frames of libraries look alike: `    at get (axios/index.js:3:18)`. */
const FRAME = /^ {4}at (?:(.*) \()?([^()\s]+):(\d+):(\d+)\)?$/;

/** The parts of a message that differ from run to run: ids and numbers. */
const VARYING = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b|\d+/gi;

export interface FailureKey {
  /** Equal for failures of the same kind. */
  fingerprint: Buffer;
  /** First line of the error. */
  message: string;
  /** First frame in a file of the skript, such as `parse (main.js:3:18)`; null if there is none. */
  frame: string | null;
}

/**
 * Tells which failures are the same: those with the same error code, message without numbers and ids, and first frame in
 * a file of the skript, without its line, because lines move from version to version.
 *
 * @param stack the error's text; null if it has none
 * @param files names of the skript's files
 */
export function failureKey(code: string, stack: string | null, files: ReadonlySet<string>): FailureKey {
  const lines = (stack ?? '').split('\n').map(line => line.slice(0, MAX_LINE_CHARS));
  const [first = ''] = lines;
  const found = lines.map(line => FRAME.exec(line)).find(match => match !== null && files.has(match[2] ?? ''));
  const [, name, file, line, column] = found ?? [];
  const place = file === undefined ? null : { name: name ?? '', file };
  const kind = [code, first.replace(VARYING, '0'), place?.file ?? '', place?.name ?? ''];
  const position = `${file}:${line}:${column}`;
  return {
    fingerprint: createHash('sha256').update(JSON.stringify(kind)).digest(),
    message: cut(first, MAX_MESSAGE_CHARS),
    frame: place && cut(place.name ? `${place.name} (${position})` : position, MAX_FRAME_CHARS),
  };
}

/** Cuts a text. Replaces half a surrogate pair at its end, which PostgreSQL cannot store. */
const cut = (text: string, chars: number): string => text.slice(0, chars).replace(/\p{Surrogate}/gu, '\uFFFD');
