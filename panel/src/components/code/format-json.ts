import type { EditorView } from '@codemirror/view';
import { applyEdits, format } from 'jsonc-parser';

const STYLE = { tabSize: 2, insertSpaces: true };

/** Changes only white space, so that large numbers keep their digits and texts that are not valid stay as they are. */
export const formatJson = (text: string): string => applyEdits(text, format(text, undefined, STYLE));

/** Returns the smallest change from one text to the other; null if there is none. */
export function changeBetween(before: string, after: string): { from: number; to: number; insert: string } | null {
  if (before === after) return null;
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < most - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) };
}

/** Replaces the text of an editor by its formatted text. The cursor stays at its place in the code. */
export function replaceByFormatted(view: EditorView, formatted: string): void {
  const changes = changeBetween(view.state.doc.toString(), formatted);
  if (changes) view.dispatch({ changes, userEvent: 'format' });
}
