import { setImmediate as nextTurn } from 'node:timers/promises';
import { FILE_HEADERS_ONLY, formatPatch, structuredPatch } from 'diff';
import type { SourceFile } from '../skript-contents.js';
import type { ComparedFileDto } from './versions.dto.js';

// Limits for one comparison, because it blocks the process. A file that exceeds any of them gets no diff.
/** Limits how many lines a file may have. The time limits do not cover the splitting into lines. */
const MAX_LINES = 20_000;
const MAX_EDITED_LINES = 1_500;
const MAX_DIFF_CHARS = 1024 * 1024;
const FILE_TIME_LIMIT_MS = 250;
const TIME_LIMIT_MS = 1_000;

/** Lists the files that differ, sorted by name. Each has a unified diff, unless that is too large. */
export async function compareFiles(
  from: SourceFile[],
  to: SourceFile[],
): Promise<{ unchanged: number; files: ComparedFileDto[] }> {
  const before = new Map(from.map(({ name, content }) => [name, content]));
  const after = new Map(to.map(({ name, content }) => [name, content]));
  const names = [...new Set([...before.keys(), ...after.keys()])];
  const differing = names.filter(name => before.get(name) !== after.get(name)).sort();
  const deadline = Date.now() + TIME_LIMIT_MS;
  let charsLeft = MAX_DIFF_CHARS;
  const files: ComparedFileDto[] = [];
  for (const name of differing) {
    const [old, now] = [before.get(name), after.get(name)];
    const timeLeftMs = Math.min(FILE_TIME_LIMIT_MS, deadline - Date.now());
    const diff =
      timeLeftMs > 0 && charsLeft > 0 && isShort(old) && isShort(now) ? unifiedDiff(name, old, now, timeLeftMs) : null;
    const fits = diff !== null && diff.length <= charsLeft;
    if (fits) charsLeft -= diff.length;
    files.push({
      name,
      change: old === undefined ? 'added' : now === undefined ? 'removed' : 'changed',
      from_size: sizeOf(old),
      to_size: sizeOf(now),
      diff: fits ? diff : null,
    });
    // Let other requests run before the next file.
    await nextTurn();
  }
  return { unchanged: names.length - differing.length, files };
}

function unifiedDiff(name: string, old: string | undefined, now: string | undefined, timeout: number): string | null {
  const patch = structuredPatch(
    old === undefined ? '/dev/null' : `a/${name}`,
    now === undefined ? '/dev/null' : `b/${name}`,
    old ?? '',
    now ?? '',
    undefined,
    undefined,
    { context: 3, timeout, maxEditLength: MAX_EDITED_LINES },
  );
  return patch ? formatPatch(patch, FILE_HEADERS_ONLY) : null;
}

function isShort(content = ''): boolean {
  let lines = 1;
  for (let at = content.indexOf('\n'); at !== -1; at = content.indexOf('\n', at + 1)) {
    lines += 1;
    if (lines > MAX_LINES) return false;
  }
  return true;
}

const sizeOf = (content: string | undefined): number | null =>
  content === undefined ? null : Buffer.byteLength(content);
